// What a decider may ask a model, and what may come back. Only the port: shared/agent speaks to the endpoint.
//
//   proposed   a value that fits the question's own schema; nothing else that the model said is kept
//   declined   no proposal: the model or a filter refused, or no answer fitted. A person decides
//
// A model proposes; the decider's code builds the plan (design.md 8). When you write a schema, ask what is the worst that a free
// choice among all fitting answers could do: a hostile text inside the facts can do just that.
import { z } from "zod";

export interface Question<Value> {
  /** Fixed words of the workflow; nothing that came from outside. */
  task: string;
  /** What the model judges, as data. No ids, keys or addresses: it needs none. */
  about: Readonly<Record<string, z.core.util.JSONType>>;
  answer: z.ZodType<Value>;
}

export type Proposal<Value> =
  | { kind: "proposed"; value: Value }
  /** In our words, never in the model's. */
  | { kind: "declined"; why: string };

export interface Model {
  name: string;
  /**
   * Throws a TransientFault when it must be asked again later, and a TerminalFault that names the setting to mend. Settles
   * soon after the signal has aborted, whatever the endpoint does.
   */
  ask<Value>(question: Question<Value>, signal: AbortSignal): Promise<Proposal<Value>>;
}

/** How a memoised proposal is read back: through the question's own schema. */
export function proposalOf<Value>(answer: z.ZodType<Value>): z.ZodType<Proposal<Value>> {
  return z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("proposed"), value: answer }),
    z.object({ kind: z.literal("declined"), why: z.string() }),
  ]) as z.ZodType<Proposal<Value>>;
}
