// One virtual clock for everything in a simulated world. Time passes only when nothing is left to do now.
//
// Every task waits for the clock and for nothing else, so all that happens between two waits is one step, and the order
// of steps depends on the numbers alone: the same schedule gives the same world.
export interface VirtualClock {
  nowMs(): number;
  sleep(ms: number): Promise<void>;
  at(atMs: number, act: () => void): void;
  /** Lets time pass until `untilMs`, or until `isOver` says so after a step. */
  run(untilMs: number, isOver?: () => boolean): Promise<void>;
}

interface Timer {
  atMs: number;
  seq: number;
  act: () => void;
}

export function virtualClock(startMs: number): VirtualClock {
  let nowMs = startMs;
  let seq = 0;
  const heap: Timer[] = [];
  const at = (atMs: number, act: () => void) => {
    seq += 1;
    push(heap, { atMs: Math.max(nowMs, atMs), seq, act });
  };
  return {
    nowMs: () => nowMs,
    at,
    sleep: (ms) => new Promise((wake) => at(nowMs + ms, wake)),
    async run(untilMs, isOver = () => false) {
      await settled();
      for (;;) {
        const [first] = heap;
        if (first === undefined || first.atMs > untilMs) break;
        pop(heap);
        nowMs = first.atMs;
        first.act();
        await settled();
        if (isOver()) return;
      }
      nowMs = Math.max(nowMs, untilMs);
    },
  };
}

/** All that can run without time passing has run: a macrotask comes after every microtask. */
function settled(): Promise<void> {
  return new Promise((resume) => void setImmediate(resume));
}

function isBefore(a: Timer | undefined, b: Timer | undefined): boolean {
  if (a === undefined || b === undefined) return false;
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.seq < b.seq);
}

function push(heap: Timer[], timer: Timer): void {
  let place = heap.push(timer) - 1;
  while (place > 0) {
    const parent = (place - 1) >> 1;
    if (!isBefore(heap[place], heap[parent])) return;
    swap(heap, place, parent);
    place = parent;
  }
}

function pop(heap: Timer[]): void {
  const last = heap.pop();
  if (last === undefined || heap.length === 0) return;
  heap[0] = last;
  for (let place = 0; ;) {
    const [left, right] = [2 * place + 1, 2 * place + 2];
    const child = isBefore(heap[right], heap[left]) ? right : left;
    if (!isBefore(heap[child], heap[place])) return;
    swap(heap, place, child);
    place = child;
  }
}

function swap(heap: Timer[], a: number, b: number): void {
  const [first, second] = [heap[a], heap[b]];
  if (first === undefined || second === undefined) return;
  heap[a] = second;
  heap[b] = first;
}
