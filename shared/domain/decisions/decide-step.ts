// Whether a case without a plan is decided on now (design.md 5, rule 7). Pure.
//
// Nothing of an earlier plan can be on its way here, because a plan does not end before that. Each version is decided on at
// most once; after three decisions that brought nothing forward the case is held.
import { isPlanHeld, type Case } from "../records/case.ts";
import { forwardFacts } from "./forward-facts.ts";
import { whyStatusLost } from "./missing-code.ts";
import type { LaneFacts, Step } from "./step.ts";

const decisionsWithoutProgressMax = 3;

export function decideStep(record: Case, { draining, nowMs = 0, workflow }: LaneFacts): Step {
  if (isPlanHeld(record) || workflow === undefined) return { kind: "idle" };
  const lost = whyStatusLost(record, workflow);
  if (lost !== undefined) return { kind: "awaitCode", reason: "FactsInvalid", why: lost };
  if (workflow.statuses[record.status]?.final !== false) return { kind: "idle" };
  if (record.decidedVersion === record.version) return { kind: "idle" };
  const { decideRetry, decisionsWithoutProgress: count } = record;
  if (decideRetry?.version === record.version && nowMs < decideRetry.notBeforeMs) {
    return { kind: "wait", untilMs: decideRetry.notBeforeMs };
  }
  if (count >= decisionsWithoutProgressMax) {
    const why = `${count} decisions brought no confirmed effect and no final status: it is still ${record.status}`;
    return { kind: "holdCase", reason: "NoProgress", why };
  }
  if (draining === true) return { kind: "draining" };
  const forwarded = forwardFacts(record, workflow);
  if (forwarded.kind !== "fits") {
    return { kind: "awaitCode", reason: "FactsInvalid", why: forwarded.why };
  }
  return forwarded.digest === record.factsDigest ? { kind: "decide" } : { kind: "bringForward" };
}
