// Dead letters that were taken out of their queue: archived, parked or edited, newest first, by whom and why.
import { z } from "zod";
import { ArchivedLetter } from "../../../domain/records/archived-letter.ts";
import type { OperatorStore } from "../../../stores/operator-ports.ts";
import { mayReadContent, type Principal } from "../access/principal.ts";
import { Cursor, cursorText, Max, Next } from "../page.ts";
import { getRoute, TenantOrAll } from "../route.ts";
import type { Reply } from "../serve.ts";

const Shown = ArchivedLetter.omit({ type: true, schemaVersion: true });
const Listed = z.object({
  archived: z.array(Shown).describe("`content` is for operators, approvers and admins."),
  next: Next,
});
const Query = z.strictObject({ max: Max, cursor: Cursor });

export const listArchivedRoute = getRoute({
  name: "list-archived-dead-letters",
  path: "archived-dead-letters/{tenant}",
  summary: "Dead letters that were taken out of their queue. Tenant `_`: those without a case.",
  role: "reader",
  params: z.strictObject({ tenant: TenantOrAll }),
  query: Query,
  answer: { schema: Listed, says: "One page." },
  problems: [],
});

export async function listArchived(
  ports: { operators: OperatorStore },
  asked: { tenant: string; principal: Principal },
  { cursor: after, max }: z.output<typeof Query>,
): Promise<Reply<z.infer<typeof Listed>>> {
  const { principal, tenant: tenantId } = asked;
  const { next, rows } = await ports.operators.archivedLetters({ tenantId, max, after });
  const mayRead = mayReadContent(principal, tenantId);
  const archived = rows.map(({ schemaVersion: _version, type: _type, ...letter }) =>
    mayRead ? letter : { ...letter, content: null },
  );
  return { kind: "done", body: { archived, ...cursorText(next) } };
}
