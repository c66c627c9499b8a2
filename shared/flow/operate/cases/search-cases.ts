// The cases of a tenant, newest first, by what an operator knows of them.
import { z } from "zod";
import { externalRefLengthMax } from "../../../domain/identity.ts";
import { CaseRow, type OperatorStore } from "../../../stores/operator-ports.ts";
import { Cursor, cursorText, Max, Next } from "../page.ts";
import { getRoute, Tenant } from "../route.ts";
import type { Reply } from "../serve.ts";

const time = z.iso.datetime({ offset: true }).transform((text) => Date.parse(text));

const Query = z.strictObject({
  status: z.string().min(1).max(100).optional(),
  workflow: z.string().min(1).max(100).optional(),
  externalRef: z
    .string()
    .min(1)
    .max(externalRefLengthMax)
    .optional()
    .describe("The business reference, or how it begins."),
  openedBefore: time.optional().describe("ISO 8601; with it, older ones only."),
  openedAfter: time.optional().describe("ISO 8601, that moment included."),
  held: z
    .enum(["true", "false"])
    .transform((text) => text === "true")
    .optional()
    .describe("Whether a person must look before it goes on."),
  max: Max,
  cursor: Cursor,
});

const Found = z.object({ cases: z.array(CaseRow), next: Next });

export const searchCasesRoute = getRoute({
  name: "search-cases",
  path: "search/{tenant}/cases",
  summary: "The cases of a tenant, newest first.",
  role: "reader",
  params: z.strictObject({ tenant: Tenant }),
  query: Query,
  answer: { schema: Found, says: "One page of cases, without their facts." },
  problems: [],
});

export async function searchCases(
  ports: { operators: OperatorStore },
  tenantId: string,
  query: z.output<typeof Query>,
): Promise<Reply<z.infer<typeof Found>>> {
  const { cursor, externalRef, held, max, openedAfter, openedBefore, status, workflow } = query;
  const { next, rows } = await ports.operators.searchCases({
    tenantId,
    max,
    after: cursor,
    status,
    workflow,
    externalRef,
    held,
    openedAfterMs: openedAfter,
    openedBeforeMs: openedBefore,
  });
  return { kind: "done", body: { cases: [...rows], ...cursorText(next) } };
}
