// The faults that a schedule may hold, each explicit: what it is, and where or when it strikes.
//
// A fault on the nth visit, write or call strikes wherever that happens to be in the interleaving; if it never comes so far,
// the fault does not count.
import type { SystemKind } from "./contracts.ts";
import type { DeliveryFault } from "./deliveries.ts";
import type { AmountLimit, ResolvedHow, StatedHow } from "./operators.ts";
import type { AnswerFault } from "./people.ts";
import type { CallFault } from "./providers.ts";

export type Fault =
  | { kind: "kill"; visit: number; when: "before" | "after" }
  | { kind: "stall"; visit: number; when: "before" | "after"; ms: number }
  /** Between the gate's last look and the socket. */
  | { kind: "freezeAtSend"; send: number; ms: number }
  /** Its answer is lost, and no worker looks for so long: keys may be pruned meanwhile. */
  | { kind: "outageAtCall"; call: number; forMs: number }
  /** Everything is revoked while a batch is on its way: a claim that was granted when it was made. */
  | { kind: "revokeAtWrite"; write: number; forMs: number }
  | { kind: "write"; write: number; twist: "lost" | "unanswered" | "late"; landAfterMs: number }
  | { kind: "call"; call: number; fault: CallFault }
  | { kind: "lookupFails"; lookup: number }
  /** What becomes of the nth delivery, and what is told of it. */
  | { kind: "delivery"; delivery: number; fault: DeliveryFault }
  | { kind: "hint"; hint: number; fault: "lost" | "twice" | "throws" }
  | { kind: "staleReads"; turn: number; lagVersions: number }
  /** A checkpoint that is not written, or not read. */
  | { kind: "checkpoint"; access: number; how: "lost" | "unreadable" }
  | { kind: "modelFails"; ask: number }
  | { kind: "answer"; question: number; fault: AnswerFault }
  /** `by`: a person's own doing, who then may not approve. */
  | { kind: "facts"; atMs: number; caseN: number; amount: number; older: boolean; by?: string }
  | { kind: "recall"; atMs: number; caseN: number }
  /** `thenForMs`: granted again, and only for so long. */
  | { kind: "revoke"; atMs: number; action: string; forMs: number; thenForMs?: number }
  /** Granted up to an amount in one currency only, for so long or for good. */
  | {
      kind: "limit";
      atMs: number;
      action: string;
      limit: AmountLimit;
      forMs: number | "good";
    }
  /** Everything is granted up to an amount only while a batch is on its way, or while its worker is dead. */
  | { kind: "limitAtWrite"; write: number; limit: AmountLimit; forMs: number }
  | { kind: "killThenLimit"; visit: number; limit: AmountLimit; forMs: number }
  /** A new payload key: added last and put first after so long, or put first at once. */
  | { kind: "rotateKeys"; atMs: number; restarts: "some" | "all"; firstAfterMs: number }
  /** The payload keys are replaced by another one, for so long or for good. */
  | { kind: "loseKeys"; atMs: number; restarts: "some" | "all"; forMs: number | "good" }
  /** The session's lock is lost while the worker goes on. */
  | { kind: "lockLost"; turn: number; afterMs: number }
  /** One system takes no calls and answers no look-ups. */
  | {
      kind: "systemOutage";
      atMs: number;
      system: SystemKind;
      how: "silent" | "unreachable";
      forMs: number;
    }
  | { kind: "statement"; atMs: number; how: StatedHow }
  | { kind: "resolution"; atMs: number; how: ResolvedHow }
  | { kind: "providerReport"; atMs: number }
  /** A schedule tells its case something, each minute by so many instances at once. */
  | { kind: "schedule"; atMs: number; caseN: number; everyMinutes: number; instances: number }
  | { kind: "erase"; atMs: number; caseN: number }
  | { kind: "deploy"; atMs: number; slots: "some" | "all" }
  | { kind: "drain"; atMs: number; forMs: number }
  | { kind: "outage"; atMs: number; forMs: number }
  | { kind: "storeOutage"; atMs: number; forMs: number }
  | { kind: "skew"; atMs: number; brokerMs: number; sweeperMs: number }
  | { kind: "spuriousHint"; atMs: number; caseN: number }
  /** Who looks for what nobody hints of does not run for so long, or the feed is told all over again. */
  | { kind: "rescue"; atMs: number; what: "sweeperDown" | "feedDown" | "feedAgain"; forMs: number }
  /** Left out by shrinking. */
  | { kind: "none" };

/** Every kind that a schedule may hold. */
export const faultKinds = [
  "answer",
  "call",
  "checkpoint",
  "delivery",
  "deploy",
  "drain",
  "erase",
  "facts",
  "freezeAtSend",
  "hint",
  "kill",
  "killThenLimit",
  "limit",
  "limitAtWrite",
  "lockLost",
  "lookupFails",
  "loseKeys",
  "modelFails",
  "outage",
  "outageAtCall",
  "providerReport",
  "recall",
  "rescue",
  "resolution",
  "revoke",
  "revokeAtWrite",
  "rotateKeys",
  "schedule",
  "skew",
  "spuriousHint",
  "staleReads",
  "stall",
  "statement",
  "storeOutage",
  "systemOutage",
  "write",
] as const satisfies readonly Fault["kind"][];
