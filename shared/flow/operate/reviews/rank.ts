// Reviews in the order of what waiting costs: first what may be wrong in the world now, then what stands still, then what only
// wants to be seen; within a kind, the oldest first.
import type { Review } from "../../../domain/records/review.ts";

export const kindsByCost: readonly Review["kind"][] = [
  /** Something happened that we said had not: the alert that must never fire. */
  "Contradiction",
  "EvidenceMismatch",
  /** What was frozen is not what is stored: somebody must ask how. */
  "PayloadMismatch",
  /** Money or a promise may be out, or not: nobody knows, and the horizon of proof is running. */
  "UnknownEffect",
  "AttemptsExhausted",
  /** Somebody waits for word that was refused. */
  "NotificationFailed",
  /** Nothing goes on, and nothing is wrong. */
  "CaseHeld",
  "ProviderRemoved",
  "ActionRemoved",
  "NoGrant",
  "PayloadUnavailable",
  "DeliverySilent",
  "FactsChangedAfterEnd",
];
