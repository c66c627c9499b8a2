// What a view has read over time, for as long as this page is open: an hour at most.
import { signal } from "@preact/signals";

export interface Sample<Now> {
  readAtMs: number;
  now: Now;
}

export interface Samples<Now> {
  keep(of: string, now: Now, readAtMs: number): void;
  of(what: string): readonly Sample<Now>[];
}

const samplesMax = 720;

export function samplesOf<Now>(): Samples<Now> {
  const kept = signal<Readonly<Record<string, readonly Sample<Now>[]>>>({});
  return {
    keep(of, now, readAtMs) {
      const before = kept.peek()[of] ?? [];
      // Under the browser's own clock; two in one second would be one point.
      if (readAtMs - (before.at(-1)?.readAtMs ?? 0) < 1000) return;
      const samples = [...before, { readAtMs, now }].slice(-samplesMax);
      kept.value = { ...kept.peek(), [of]: samples };
    },
    of: (what) => kept.value[what] ?? [],
  };
}
