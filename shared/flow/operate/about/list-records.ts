// What people did in a tenant, newest first: who, what, why, when, and what came of it.
import { z } from "zod";
import { OperatorRecord } from "../../../domain/records/operator-record.ts";
import type { OperatorStore } from "../../../stores/operator-ports.ts";
import { Cursor, cursorText, Max, Next } from "../page.ts";
import { getRoute, TenantOrAll } from "../route.ts";
import type { Reply } from "../serve.ts";

const Query = z.strictObject({ max: Max, cursor: Cursor });
const Listed = z.object({
  records: z.array(OperatorRecord.omit({ type: true, schemaVersion: true })),
  next: Next,
});

export const listRecordsRoute = getRoute({
  name: "list-operator-records",
  path: "operator-records/{tenant}",
  summary:
    "What people did in a tenant, newest first. An outcome `asked` was never answered. `_`: of the deployment.",
  role: "reader",
  params: z.strictObject({ tenant: TenantOrAll }),
  query: Query,
  answer: { schema: Listed, says: "One page." },
  problems: [],
});

export async function listRecords(
  ports: { operators: OperatorStore },
  tenantId: string,
  { cursor: after, max }: z.output<typeof Query>,
): Promise<Reply<z.infer<typeof Listed>>> {
  const { next, rows } = await ports.operators.records({ tenantId, max, after });
  const records = rows.map(({ type: _type, schemaVersion: _version, ...record }) => record);
  return { kind: "done", body: { records, ...cursorText(next) } };
}
