// How many calls this worker makes to a provider at once, and when it makes none.
//
//   concurrency limit   at most so many calls at a time; further ones are put off, the longer the more of them there are, so
//                       that they do not all come back at once
//   circuit breaker     opens after so many calls in a row without an answer. While it is open nothing is claimed; after that
//                       one call tries, and its answer closes the breaker or opens it again
//
// In the memory of one worker: a courtesy to the provider. Nothing here decides whether a send is safe.
import type { Answer } from "../../domain/records/evidence.ts";

export type Admission =
  /** `done` with nothing: it was not called after all. */
  | { kind: "go"; done(answer: Answer | undefined): void }
  /** Claim nothing for this provider for this long. */
  | { kind: "later"; inMs: number };

export interface Pacing {
  admit(provider: string): Admission;
}

export interface PacingLimits {
  concurrencyMax: number;
  /** Calls in a row without an answer that open the breaker. */
  silencesMax: number;
  coolMs: number;
}

export const pacingDefaults: PacingLimits = { concurrencyMax: 32, silencesMax: 8, coolMs: 10_000 };

/** When all places are taken, somebody is done in about this time. */
const fullMs = 500;

/** However many wait, each looks again within this. */
const fullMsMax = 30_000;

interface Gauge {
  running: number;
  /** Turned away since a place was last free; as many as there are places come back at a time. */
  waiting: number;
  silences: number;
  openUntilMs: number;
}

export function pacing(clockMs: () => number, limits: PacingLimits = pacingDefaults): Pacing {
  const gauges = new Map<string, Gauge>();
  const gaugeOf = (provider: string): Gauge => {
    const gauge = gauges.get(provider) ?? { running: 0, waiting: 0, silences: 0, openUntilMs: 0 };
    gauges.set(provider, gauge);
    return gauge;
  };
  return {
    admit(provider) {
      const gauge = gaugeOf(provider);
      const inMs = gauge.openUntilMs - clockMs();
      if (inMs > 0) return { kind: "later", inMs: Math.ceil(inMs) };
      if (gauge.running >= limits.concurrencyMax) {
        gauge.waiting += 1;
        const round = Math.ceil(gauge.waiting / limits.concurrencyMax);
        return { kind: "later", inMs: Math.min(fullMsMax, fullMs * round) };
      }
      gauge.running += 1;
      // One call tries after the cooling: the others are put off until it has heard something.
      if (gauge.silences >= limits.silencesMax) gauge.openUntilMs = clockMs() + limits.coolMs;
      return { kind: "go", done: (answer) => done(gauge, answer) };
    },
  };

  function done(gauge: Gauge, answer: Answer | undefined): void {
    gauge.running -= 1;
    // A place is free: whoever comes next need not queue behind those who were turned away and have gone elsewhere.
    gauge.waiting = Math.max(0, gauge.waiting - limits.concurrencyMax);
    if (answer === undefined) return;
    // A provider that cannot be reached is as silent as one that does not answer.
    if (answer.kind !== "noAnswer" && answer.kind !== "notSent") {
      gauge.silences = 0;
      gauge.openUntilMs = 0;
      return;
    }
    gauge.silences += 1;
    if (gauge.silences >= limits.silencesMax) gauge.openUntilMs = clockMs() + limits.coolMs;
  }
}
