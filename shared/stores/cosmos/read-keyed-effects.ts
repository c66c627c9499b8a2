// Whose key is this? Effects of one tenant that bear a provider's key, over all of its cases, by the index on it.
import { z } from "zod";
import type { KeyedEffect } from "../ports.ts";
import { queryPages } from "./query-pages.ts";
import type { Source } from "./source.ts";

const query = `SELECT c.tenantId, c.caseId, c.operationId FROM c
  WHERE c.type = "effect" AND c.providerKey = @providerKey AND c.provider = @provider`;

const Row = z.object({ tenantId: z.string(), caseId: z.string(), operationId: z.string() });

export async function readKeyedEffects(
  source: Source,
  wanted: { tenantId: string; provider: string; providerKey: string },
): Promise<KeyedEffect[]> {
  const { provider, providerKey, tenantId } = wanted;
  const parameters = [
    { name: "@providerKey", value: providerKey },
    { name: "@provider", value: provider },
  ];
  const { pages } = await queryPages(
    source,
    { query, parameters },
    { partitionKey: [tenantId], ids: { tenantId }, what: "the query by a provider's key" },
  );
  return pages.flat().map((row) => Row.parse(row));
}
