// Grants in Cosmos DB: container `grants`, key /tenantId (design.md 9).
//
// Candidates may be a few seconds old: they choose a grant for a claim. The send gate reads that grant again, now.
// A grant that newer code wrote, or that somebody put there by hand and wrongly, is none: what cannot be read covers nothing, and
// keeps nobody from one that does. The list of all grants says that it is there, by a fault that names it.
import type { Container, SqlQuerySpec } from "@azure/cosmos";
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
  const cache = new Map<string, { readAtMs: number; grants: Promise<Grant[]> }>();
  const { clockMs } = options;
  return {
    candidates(wanted) {
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
      const what = "the query for grants";
      const reading = {
        readAtMs: nowMs,
        grants: queryGrants(container, tenantId, { query: { query, parameters }, what }).then(
          (documents) => documents.flatMap((document) => readable(Grant, document) ?? []),
        ),
      };
      // Whoever asks meanwhile waits for the same answer.
      cache.set(key, reading);
      reading.grants.catch(() => {
        if (cache.get(key) === reading) cache.delete(key);
      });
      return reading.grants;
    },
    async list(tenantId) {
      const all = { query: 'SELECT * FROM c WHERE c.type = "grant"' };
      const what = "the list of grants";
      const documents = await queryGrants(container, tenantId, { query: all, what });
      return documents.flatMap((document) => decode(Grant, document) ?? []);
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

async function queryGrants(
  container: Container,
  tenantId: string,
  { query: asked, what }: { query: SqlQuerySpec; what: string },
): Promise<unknown[]> {
  const partition = { partitionKey: [tenantId], isWhole: true, ids: { tenantId } };
  const { pages } = await queryPages({ container }, asked, { ...partition, what });
  return pages.flat();
}
