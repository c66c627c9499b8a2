// Grants in Cosmos DB: container `grants`, key /tenantId (design.md 9).
//
// Candidates may be a few seconds old: they choose a grant for a claim. The send gate reads that grant again, now.
// A grant that newer code wrote, or that somebody put there by hand and wrongly, is none: what cannot be read covers nothing, and
// keeps nobody from one that does. The list of all grants says that it is there, by a fault that names it.
import type { Container } from "@azure/cosmos";
import { Grant } from "../domain/records/grant.ts";
import { decode, readable } from "./case-documents.ts";
import { queryPages } from "./cosmos/query-pages.ts";
import { grantWriter } from "./cosmos/write-grant.ts";
import { readDocument } from "./cosmos/read-document.ts";
import type { GrantRegister } from "./ports.ts";

const candidatesMaxAgeMs = 5000;

const query = `SELECT * FROM c
  WHERE c.type = "grant" AND c.subject = @subject AND c.action = @action`;

/** `clockMs` only has to move on evenly: it ages the cache. */
export function cosmosGrants(
  container: Container,
  options: { clockMs: () => number },
): GrantRegister {
  return { ...grantReader(container, options), ...grantWriter(container) };
}

type Reading = Pick<GrantRegister, "candidates" | "read" | "list">;

function grantReader(container: Container, options: { clockMs: () => number }): Reading {
  const cache = new Map<string, { readAtMs: number; grants: Grant[] }>();
  const { clockMs } = options;
  return {
    async candidates(wanted) {
      const { tenantId, subject, action } = wanted;
      const key = JSON.stringify([tenantId, subject, action]);
      const nowMs = clockMs();
      for (const [other, { readAtMs }] of cache) {
        if (nowMs - readAtMs >= candidatesMaxAgeMs) cache.delete(other);
      }
      const known = cache.get(key);
      if (known !== undefined && wanted.fresh !== true) return known.grants;
      const parameters = [
        { name: "@subject", value: subject },
        { name: "@action", value: action },
      ];
      const { pages } = await queryPages(
        { container },
        { query, parameters },
        { partitionKey: [tenantId], ids: { tenantId }, what: "the query for grants" },
      );
      const grants = pages.flat().flatMap((document) => readable(Grant, document) ?? []);
      cache.set(key, { readAtMs: nowMs, grants });
      return grants;
    },
    async list(tenantId) {
      const { pages } = await queryPages(
        { container },
        { query: 'SELECT * FROM c WHERE c.type = "grant"' },
        { partitionKey: [tenantId], ids: { tenantId }, what: "the list of grants" },
      );
      return pages.flat().flatMap((document) => decode(Grant, document) ?? []);
    },
    async read(tenantId, grantId) {
      const { document } = await readDocument({ container }, grantId, {
        partitionKey: [tenantId],
        ids: { tenantId },
      });
      return document === undefined ? undefined : decode(Grant, document);
    },
  };
}
