// What a worker tells the conductor, one HTTP request each. The worker waits for the answer: so the conductor knows where
// it stands, and stops it exactly there.
import type { Decision } from "../../../shared/domain/definitions.ts";
import type { SendRequest } from "../../../shared/domain/definitions.ts";

export type Told = { pid: number } & (
  | { kind: "hello" }
  | ({ caseId: string } & (
      | { kind: "turnStarted" }
      | { kind: "turnEnded" }
      /** About to do what this boundary names. */
      | { kind: "at"; boundary: string }
      | { kind: "gateRead"; grantId: string }
      | { kind: "asked"; version: number }
      | { kind: "decided"; version: number; decision: Decision }
      | { kind: "sending"; request: SendRequest }
      /** A receipt reached this worker. */
      | { kind: "receipt"; operationId: string }
      /** It could not record what it knew, and says so. */
      | { kind: "lost" }
      | { kind: "defect"; text: string }
    ))
);

/** The answer to `turnStarted`; every other one is empty. */
export interface TurnTerms {
  turnBudgetMs: number;
}

/** Boundaries beside those that the source of a turn names: the answer on its way, and the message not yet completed. */
export const wireBoundary = "send, applied";
export const completeBoundary = "complete";
