// The samples of the overview, for as long as this page is open: an hour at most.
import { signal } from "@preact/signals";
import type { Overview } from "../../api/shapes.ts";

export interface Sample {
  readAtMs: number;
  now: Overview;
}

const samplesMax = 720;
const kept = signal<Readonly<Record<string, readonly Sample[]>>>({});

export function keepSample(tenantId: string, now: Overview, readAtMs: number): void {
  const before = kept.peek()[tenantId] ?? [];
  // Under the browser's own clock; two in one second would be one point.
  if (readAtMs - (before.at(-1)?.readAtMs ?? 0) < 1000) return;
  const samples = [...before, { readAtMs, now }].slice(-samplesMax);
  kept.value = { ...kept.peek(), [tenantId]: samples };
}

export function samplesOf(tenantId: string): readonly Sample[] {
  return kept.value[tenantId] ?? [];
}
