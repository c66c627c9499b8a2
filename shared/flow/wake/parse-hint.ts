// A hint as a Service Bus function gets it: only the body counts (design.md 10).
import { z } from "zod";
import { TerminalFault } from "../../domain/faults.ts";
import { parseCaseKey, type CaseKey } from "../../domain/identity.ts";

const HintBody = z.object({
  caseKey: z.string(),
  hintId: z.string(),
  reason: z.string(),
  /** How many times an outage has postponed this look. */
  tries: z.int().nonnegative().optional(),
  /** The sender's trace context. A malformed one must not cost the hint. */
  traceparent: z.string().optional().catch(undefined),
});

export interface ParsedHint extends z.infer<typeof HintBody> {
  key: CaseKey;
}

/** Throws a TerminalFault for anything else; the broker dead-letters such a message in the end, where it is shown. */
export function parseHint(message: unknown): ParsedHint {
  const body = HintBody.safeParse(message);
  const key = body.success ? parseCaseKey(body.data.caseKey) : undefined;
  if (!body.success || key === undefined) {
    throw new TerminalFault(
      "a message in this queue is no hint: it needs caseKey, hintId and reason.",
    );
  }
  return { ...body.data, key };
}
