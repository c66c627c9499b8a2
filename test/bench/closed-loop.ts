// A closed loop: so many cases are in flight, and each that ends lets the next one begin. So the rate is what the system
// itself can do at that concurrency, and a slow system is not buried under its own backlog.
export interface Timing {
  casesPerSecond: number;
  p50Ms: number;
  p99Ms: number;
  tookMs: number;
}

/** Of sorted numbers, by nearest rank. */
export function percentile(sorted: readonly number[], fraction: number): number {
  const rank = Math.max(0, Math.ceil(fraction * sorted.length) - 1);
  return sorted[rank] ?? 0;
}

/** `run` resolves with the wall clock's time of the case's end. */
export async function closedLoop<Case>(
  cases: readonly Case[],
  concurrency: number,
  run: (one: Case) => Promise<number>,
): Promise<Timing> {
  const startedAtMs = Date.now();
  const latenciesMs: number[] = [];
  let endedAtMs = startedAtMs;
  const left = cases.values();
  async function lane(): Promise<void> {
    for (const one of left) {
      const fromMs = Date.now();
      const atMs = await run(one);
      latenciesMs.push(atMs - fromMs);
      endedAtMs = Math.max(endedAtMs, atMs);
    }
  }
  await Promise.all(Array.from({ length: concurrency }, lane));
  const tookMs = Math.max(1, endedAtMs - startedAtMs);
  const sorted = latenciesMs.toSorted((a, b) => a - b);
  return {
    casesPerSecond: Math.round((cases.length / tookMs) * 10_000) / 10,
    p50Ms: percentile(sorted, 0.5),
    p99Ms: percentile(sorted, 0.99),
    tookMs,
  };
}
