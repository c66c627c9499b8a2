// The broker's one clock. Every lock, schedule, time to live and duplicate window reads the time
// here and nowhere else, so a reader can find all that depends on it by following this type.
//
// Promises: an alarm never rings early; one set further ahead than a Node timer can reach (24.8
// days) still rings on time; after `stop` nothing rings.

const TIMER_REACH_MS = 2_000_000_000;

export type CancelAlarm = () => void;

export type Clock = {
  nowMs(): number;
  /** Calls `ring` once the time is `atMs` or later. Never within the caller's own turn. */
  alarm(atMs: number, ring: () => void): CancelAlarm;
  stop(): void;
};

export function wallClock(): Clock {
  const timers = new Set<NodeJS.Timeout>();

  function alarm(atMs: number, ring: () => void): CancelAlarm {
    let timer: NodeJS.Timeout;
    const arm = (): void => {
      const waitMs = Math.min(Math.max(0, atMs - Date.now()), TIMER_REACH_MS);
      timer = setTimeout(() => {
        timers.delete(timer);
        // A Node timer may fire a millisecond early by the wall clock, so the time is read again.
        if (Date.now() < atMs) arm();
        else ring();
      }, waitMs);
      timers.add(timer);
    };
    arm();
    return () => {
      clearTimeout(timer);
      timers.delete(timer);
    };
  }

  function stop(): void {
    for (const timer of timers) clearTimeout(timer);
    timers.clear();
  }

  return { nowMs: () => Date.now(), alarm, stop };
}
