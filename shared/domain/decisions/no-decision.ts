// Why what a decider returned is no decision, whatever its type says: it may be a model's answer, or come from plain JavaScript.
// Pure. Checked before anything of it is written, because a broken document could never be read again.
import { z } from "zod";
import { whyNotJson } from "../canonical-json.ts";
import { fieldsOf } from "../fields-of.ts";
import { ActionRequest } from "../records/case.ts";

/** Payloads are checked later, by their own schemas (refused-plan.ts). */
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

/** Without the payloads, which have a bound of their own. */
const textBytesMax = 64 * 1024;

/** Text that no store takes would be thrown at every write, until the case is parked; here it is held with its reason. */
function whyNoTexts(decision: z.infer<typeof Shape>): string | undefined {
  const text = JSON.stringify(decision, (field, member: unknown) =>
    field === "payload" ? undefined : member,
  );
  if (Buffer.byteLength(text) > textBytesMax) {
    return `the texts of a decision, beside its payloads, have at most ${textBytesMax} bytes`;
  }
  return whyNotJson(JSON.parse(text), "the decision");
}
