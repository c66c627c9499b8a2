// What a decider gave that is no decision, whatever its type says: a team's code may hold a model's answer, or be no TypeScript.
// Pure. It is held by field, because what is written of it could never be read again.
import { z } from "zod";
import { fieldsOf } from "../fields-of.ts";
import { ActionRequest } from "../records/case.ts";

/** Payloads are judged by their own schemas, and by whether they are JSON. */
const requests = z.array(
  ActionRequest.extend({ target: z.string().min(1), payload: z.record(z.string(), z.unknown()) }),
);
const why = z.string();

const Shape = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("plan"),
    why,
    actions: requests,
    nextStatus: z.string(),
    notifications: requests,
  }),
  z.object({ kind: z.literal("wait"), why }),
  z.object({ kind: z.literal("hold"), why }),
]);

export function whyNoDecision(given: unknown): string | undefined {
  const { error } = Shape.safeParse(given);
  if (error === undefined) return undefined;
  return `what decide gave is no decision, in: ${fieldsOf(error.issues, "the decision as a whole")}`;
}
