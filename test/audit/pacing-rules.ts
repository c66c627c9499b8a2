// How a provider was treated: places, breaker, and its own word on when to come again.
import type { Admitted, Testimony } from "./testimony.ts";
import { claimTimeOf } from "./history.ts";
import { judged, type Judged } from "./judged.ts";

/** An instance has so many calls of one provider out at a time, and none while its breaker is open. */
export function placesAreKept({ admissions, pacing }: Testimony): Judged {
  if (pacing === undefined) return judged([], () => undefined);
  return judged(admissions, (admitted) => {
    const { fromMs } = admitted;
    const others = admissions.filter(
      (one) =>
        one !== admitted &&
        one.instance === admitted.instance &&
        one.provider === admitted.provider &&
        one.fromMs <= fromMs,
    );
    const running = others.filter(
      (one) => one.fromMs < fromMs && (one.untilMs ?? Infinity) > fromMs,
    );
    const silences = silencesBefore(others, fromMs);
    const openUntilMs = (silences.at(-1)?.untilMs ?? -Infinity) + pacing.coolMs;
    return [
      running.length < pacing.concurrencyMax
        ? undefined
        : `${admitted.worker} got a place at ${admitted.provider} beside ${running[0]?.worker}`,
      silences.length < pacing.silencesMax || fromMs >= openUntilMs
        ? undefined
        : `${admitted.worker} called ${admitted.provider} while the breaker was open`,
    ];
  });
}

/** The calls in a row that heard nothing, up to now. */
function silencesBefore(others: readonly Admitted[], atMs: number): Admitted[] {
  const over = others
    .filter(({ heard, untilMs }) => (untilMs ?? Infinity) < atMs && heard !== undefined)
    .toSorted((a, b) => (a.untilMs ?? 0) - (b.untilMs ?? 0));
  const lastHeard = over.findLastIndex(({ heard }) => heard !== "noAnswer" && heard !== "notSent");
  return over.slice(lastHeard + 1);
}

/** Nothing is sent past the pacing. */
export function sendsAreAdmitted({ admissions, pacing, received }: Testimony): Judged {
  return judged(pacing === undefined ? [] : received, (call) => {
    const isAdmitted = admissions.some(
      ({ fromMs, provider, untilMs, worker }) =>
        worker === call.worker &&
        provider === call.provider &&
        fromMs <= call.sentAtMs &&
        (untilMs ?? Infinity) >= call.sentAtMs,
    );
    return isAdmitted
      ? undefined
      : `${call.operationId} was sent by ${call.worker} without a place`;
  });
}

/** A gate's look, and the answer, may be some seconds ahead of the time that the store told. */
const clockSlackMs = 9000;

/** Retry-After is kept by whoever knows of it. */
export function backOffIsKept(testimony: Testimony): Judged {
  const { askedForTime, cases, received } = testimony;
  const effects = cases.flatMap(({ final }) => final?.snapshot.effects ?? []);
  const heard = askedForTime.filter(({ atMs, fence, operationId }) => {
    const effect = effects.find((one) => one.operationId === operationId);
    const attempt = effect?.attempts.find((one) => one.fence === fence);
    // Told in time: a frozen worker's end comes when others have gone on.
    return attempt?.end?.kind === "noAnswer" && Math.abs(attempt.end.atMs - atMs) < clockSlackMs;
  });
  return judged(heard, ({ atMs, fence, operationId, retryAfterMs }) => {
    const early = received.find((call) => {
      const claimedAtMs = claimTimeOf(testimony, call) ?? 0;
      return (
        call.operationId === operationId &&
        call.fence > fence &&
        claimedAtMs < atMs + retryAfterMs - clockSlackMs
      );
    });
    return early === undefined
      ? undefined
      : `${operationId} was claimed again after ${early.sentAtMs - atMs} ms of ${retryAfterMs}`;
  });
}
