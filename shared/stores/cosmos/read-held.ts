// Which cases of a tenant wait for a grant of one action: whom to wake when it is given.
import { z } from "zod";
import type { CaseKey } from "../../domain/identity.ts";
import { queryPages } from "./query-pages.ts";
import type { Source } from "./source.ts";

const query = `SELECT c.tenantId, c.caseId FROM c
  WHERE c.type = "effect" AND c.action = @action AND IS_DEFINED(c.grantHold)`;

const Row = z.object({ tenantId: z.string(), caseId: z.string() });

export async function readHeldForGrant(
  source: Source,
  { tenantId, action }: { tenantId: string; action: string },
): Promise<CaseKey[]> {
  const parameters = [{ name: "@action", value: action }];
  const { pages } = await queryPages(
    source,
    { query, parameters },
    { partitionKey: [tenantId], ids: { tenantId }, what: "the query for what waits for a grant" },
  );
  return pages.flat().map((row) => Row.parse(row));
}
