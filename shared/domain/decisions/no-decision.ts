// What a decider gave that is no decision, whatever its type says: a team's code may hold a model's answer, or be no TypeScript.
// Pure. It is held by field, because what is written of it could never be read again.
import { z } from "zod";
import { whyNotJson } from "../canonical-json.ts";
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
  const { data, error } = Shape.safeParse(given);
  if (data !== undefined) return whyNoTexts(data);
  return `what decide gave is no decision, in: ${fieldsOf(error.issues, "the decision as a whole")}`;
}

/** Beside the payloads, which have a bound of their own. */
const textBytesMax = 64 * 1024;

/** What no store takes would not be held but thrown, and decided again until its workers are taken for dead. */
function whyNoTexts(decision: z.infer<typeof Shape>): string | undefined {
  const text = JSON.stringify(decision, (field, member: unknown) =>
    field === "payload" ? undefined : member,
  );
  if (Buffer.byteLength(text) > textBytesMax) {
    return `the texts of a decision, beside its payloads, have at most ${textBytesMax} bytes`;
  }
  return whyNotJson(JSON.parse(text), "the decision");
}
