// When to try again: doubling from a second to five minutes, with jitter, and Retry-After within a cap. A provider's own outages last for
// hours: it is asked at longer and longer times, up to half an hour, so that the bounded attempts outlast one and nobody is woken.
//
// The jitter is derived from what is waited for, so a replay waits as long as the first time did.
import { unitIntervalOf } from "../identity.ts";
import { retryAfterMsMax } from "../retry-after.ts";
import type { Effect } from "../records/effect.ts";

const backOffMsMin = 1000;
const backOffMsMax = 5 * 60_000;
export const providerBackOffMsMax = 30 * 60_000;

/** When the next attempt may start. */
export function notBeforeMs(
  effect: Pick<Effect, "attempts" | "operationId">,
  options: { nowMs: number; retryAfterMs?: number | undefined },
): number {
  const askedMs = Math.min(retryAfterMsMax, options.retryAfterMs ?? 0);
  const waitMs = backOffMs(effect.operationId, effect.attempts.length, providerBackOffMsMax);
  return options.nowMs + Math.max(waitMs, askedMs);
}

/** For the nth time in a row, counted from 1: between half and the whole of the doubled wait. */
export function backOffMs(subject: string, n: number, maxMs = backOffMsMax): number {
  const doubledMs = Math.min(maxMs, backOffMsMin * 2 ** Math.min(20, Math.max(0, n - 1)));
  return Math.ceil(doubledMs * (0.5 + unitIntervalOf(subject, n) / 2));
}
