// Sessions as servers: cases arrive at random, each takes a session for its turn and for the idle time after it, on any of the
// instances. Simulated event by event with a seed, because the turn's spread matters more than its mean.
export interface Sessions {
  casesPerSecond: number;
  instances: number;
  sessionsPerInstance: number;
  turnMs: number;
  idleMs: number;
  seed: number;
  cases: number;
}

export interface Waits {
  /** Of all sessions, on average; near 1 nothing is left for a burst. */
  busy: number;
  p50WaitMs: number;
  p99WaitMs: number;
}

function dice(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** A heap of the times at which sessions become free, earliest on top. */
function freeTimes(count: number) {
  const heap = new Float64Array(count);
  return {
    earliest: () => heap[0] ?? 0,
    replaceEarliest(value: number): void {
      let at = 0;
      for (;;) {
        let child = 2 * at + 1;
        if (child >= count) break;
        if (child + 1 < count && (heap[child + 1] ?? 0) < (heap[child] ?? 0)) child += 1;
        if ((heap[child] ?? 0) >= value) break;
        heap[at] = heap[child] ?? 0;
        at = child;
      }
      heap[at] = value;
    },
  };
}

export function simulateSessions(given: Sessions): Waits {
  const { cases, casesPerSecond, idleMs, instances, seed, sessionsPerInstance, turnMs } = given;
  const random = dice(seed);
  const servers = instances * sessionsPerInstance;
  const free = freeTimes(servers);
  const waits = new Float64Array(cases);
  let nowMs = 0;
  let busyMs = 0;
  for (let n = 0; n < cases; n += 1) {
    nowMs += (-Math.log(1 - random()) * 1000) / casesPerSecond;
    // Half of a turn is fixed, half is as random as providers are.
    const serviceMs = turnMs / 2 + (-Math.log(1 - random()) * turnMs) / 2 + idleMs;
    const startMs = Math.max(nowMs, free.earliest());
    waits[n] = startMs - nowMs;
    busyMs += serviceMs;
    free.replaceEarliest(startMs + serviceMs);
  }
  waits.sort();
  const at = (fraction: number): number =>
    Math.round(waits[Math.min(cases - 1, Math.floor(fraction * cases))] ?? 0);
  return {
    busy: Math.round((busyMs / (nowMs * servers)) * 100) / 100,
    p50WaitMs: at(0.5),
    p99WaitMs: at(0.99),
  };
}

/** A plan keeps a fifth free: what is full on average has no room for a slow provider. */
const busyMax = 0.8;

/** The fewest instances that are not too busy and with which 99 in 100 cases wait at most so long. */
export function instancesNeeded(given: Omit<Sessions, "instances">, p99WaitMsMax: number): number {
  const { casesPerSecond, idleMs, sessionsPerInstance, turnMs } = given;
  const offered = (casesPerSecond * (turnMs + idleMs)) / 1000;
  let instances = Math.max(1, Math.ceil(offered / (sessionsPerInstance * busyMax)));
  while (simulateSessions({ ...given, instances }).p99WaitMs > p99WaitMsMax) {
    instances += Math.max(1, Math.floor(instances / 20));
  }
  return instances;
}
