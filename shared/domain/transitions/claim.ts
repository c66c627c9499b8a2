// A claim takes an effect to send it once; a claim whose worker never came back is given up at its deadline (design.md 4). Pure.
//
// A claim sets `mayHaveLeft` and keeps in the attempt what it was before (`leftBefore`). An orphaned attempt is over by the
// store's clock, but its worker may only be frozen and still send. So, unlike after an attempt that ended, a look-up that
// finds nothing proves nothing.
import { absentStartedAtMs, termsAt } from "../decisions/terms.ts";
import { providerKeyOf } from "../contract.ts";
import type { Provider } from "../definitions.ts";
import { areSame, coreOf, standingOrder, type Attempt, type Effect } from "../records/effect.ts";
import {
  caseOf,
  effectOf,
  withCase,
  withEffect,
  withLine,
  type Snapshot,
} from "../records/snapshot.ts";
import { becomeUnknown, releaseClaim } from "./attempt.ts";
import { openReview, resolveReview } from "./reviews.ts";

/** The terms and the key of a call made now. Kept with the effect from its first call that may leave. */
export function termsOf(
  provider: Provider,
  { operationId, tenantId }: Pick<Effect, "operationId" | "tenantId">,
) {
  const providerKey = providerKeyOf(provider.contract, operationId);
  return { ...termsAt(provider, tenantId), providerKey };
}

/** Fence + 1, attempt + 1. As long as nothing of the effect may have left, it takes on today's terms. */
export function claim(
  snapshot: Snapshot,
  operationId: string,
  options: { provider: Provider; grantRef: string; nowMs: number },
): Snapshot {
  const record = caseOf(snapshot);
  const effect = effectOf(snapshot, operationId);
  const fence = record.fence + 1;
  const attempt: Attempt = {
    n: effect.attempts.length + 1,
    fence,
    claimedAtMs: options.nowMs,
    callTimeoutMs: options.provider.contract.callTimeoutMs,
    horizonMs: options.provider.contract.horizonMs,
    leftBefore: effect.mayHaveLeft,
  };
  const terms = termsOf(options.provider, effect);
  if (effect.mayHaveLeft && !areSame(effect, terms)) attempt.underOtherTerms = true;
  const { contract } = options.provider;
  const absentMs = absentStartedAtMs({ ...terms, contract, effect });
  if (absentMs !== undefined) attempt.absentStartedAtMs = absentMs;
  const order = standingOrder(effect);
  if (order !== undefined) {
    const { by, confirmedBy, forced } = order;
    attempt.order = { by, forced, ...(confirmedBy === undefined ? {} : { confirmedBy }) };
  }
  const granted = resolveReview(snapshot, effect.grantHold, {
    how: `granted: ${options.grantRef}`,
    by: "machine",
    atMs: options.nowMs,
  });
  const {
    notBeforeMs: _passed,
    grantHold: _granted,
    lookups: _old,
    retryOrder: _given,
    ...core
  } = coreOf(effect);
  const started: Effect = {
    ...core,
    ...(effect.mayHaveLeft ? {} : terms),
    grantRef: options.grantRef,
    attempts: [...effect.attempts, attempt],
    mayHaveLeft: true,
    status: "started",
  };
  const claimed = withCase(withEffect(granted, started), {
    fence,
    claim: { operationId, attempt: attempt.n, fence },
  });
  return withLine(claimed, `claimed ${effect.action} ${operationId}, attempt ${attempt.n}`);
}

/**
 * The deadline has passed and nobody recorded an end: the worker died, or is only frozen. If the effect is not started (a restore
 * set the case document back before its effects), only the claim is dropped.
 */
export function markOrphaned(
  snapshot: Snapshot,
  operationId: string,
  options: { deadlineMs: number; nowMs: number },
): Snapshot {
  const effect = effectOf(snapshot, operationId);
  const { deadlineMs, nowMs } = options;
  const fenced = releaseClaim(
    withCase(snapshot, { fence: caseOf(snapshot).fence + 1 }),
    operationId,
  );
  if (effect.status !== "started") {
    return withLine(fenced, `a claim is dropped: ${effect.action} is ${effect.status}`);
  }
  const core = coreOf(effect);
  const attempts = core.attempts.map((attempt): Attempt =>
    attempt.end === undefined
      ? { ...attempt, deadlineMs, end: { kind: "orphaned", atMs: nowMs } }
      : attempt,
  );
  const reason = "the call must be over and nobody recorded its end";
  return becomeUnknown(fenced, { ...core, attempts }, { reason, nowMs });
}

/** No grant covers the effect: it is held under a review, and nothing is cancelled. */
export function holdForGrant(snapshot: Snapshot, operationId: string, nowMs: number): Snapshot {
  const effect = effectOf(snapshot, operationId);
  if (effect.grantHold !== undefined) return snapshot;
  const [opened, grantHold] = openReview(snapshot, {
    subject: operationId,
    kind: "NoGrant",
    why: `no grant lets ${caseOf(snapshot).workflow.type} do ${effect.action} on this target, within its limits`,
    consequence: "Nothing is sent until somebody grants it; granting it sends it.",
    nowMs,
  });
  return withEffect(opened, { ...effect, grantHold });
}
