// Where a statement goes, and how long it may take there.
//
// The SDK repeats a read that times out 120 times, and anything throttled for half a minute: a turn would
// not survive it. So each call has one budget for all that the SDK does.
import type { Container } from "@azure/cosmos";

export interface Source {
  container: Container;
  callBudgetMs?: number;
  /** At most so many documents an answer; without it, as many as fit. */
  pageSize?: number;
}

const defaultBudgetMs = 20_000;

export function withinBudget(source: Source): { abortSignal: AbortSignal } {
  return { abortSignal: AbortSignal.timeout(source.callBudgetMs ?? defaultBudgetMs) };
}
