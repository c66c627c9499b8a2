// So many operations, a fixed number of them in flight, and how many a second that makes.
import { closedLoop } from "../closed-loop.ts";

export interface Rate {
  perSecond: number;
  p99Ms: number;
}

/** Or why it could not be measured at all. */
export type Measured = Rate | { cannot: string };

export async function rateOf(
  count: number,
  concurrency: number,
  act: (n: number) => Promise<unknown>,
): Promise<Rate> {
  const numbers = Array.from({ length: count }, (_, n) => n);
  const { casesPerSecond, p99Ms } = await closedLoop(numbers, concurrency, async (n) => {
    await act(n);
    return Date.now();
  });
  return { perSecond: casesPerSecond, p99Ms };
}
