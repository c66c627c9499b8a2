// The broker's one clock. Every lock, schedule, time to live and duplicate window reads the time
// here and nowhere else, so a reader can find all that depends on it by following this type.
//
// It can be set apart from the machine's, and so from its clients': what is due by it then rings.
//
// Promises: an alarm never rings early; one set further ahead than a Node timer can reach (24.8
// days) still rings on time; after `stop` nothing rings.

const TIMER_REACH_MS = 2_000_000_000;

export type CancelAlarm = () => void;

export type Clock = {
  /** How far it runs ahead of the machine's clock (or, negative, behind). */
  readonly skewMs: number;
  skew(skewMs: number): void;
  nowMs(): number;
  /** Calls `ring` once the time is `atMs` or later. Never within the caller's own turn. */
  alarm(atMs: number, ring: () => void): CancelAlarm;
  stop(): void;
};

type Alarm = { atMs: number; ring: () => void; timer: NodeJS.Timeout | undefined };

export function wallClock(): Clock {
  const alarms = new Set<Alarm>();
  let skewMs = 0;
  const nowMs = (): number => Date.now() + skewMs;

  function arm(alarm: Alarm): void {
    clearTimeout(alarm.timer);
    const waitMs = Math.min(Math.max(0, alarm.atMs - nowMs()), TIMER_REACH_MS);
    alarm.timer = setTimeout(() => {
      // A Node timer may fire a millisecond early by the wall clock, so the time is read again.
      if (nowMs() < alarm.atMs) arm(alarm);
      else {
        alarms.delete(alarm);
        alarm.ring();
      }
    }, waitMs);
  }
  function cancel(alarm: Alarm): void {
    clearTimeout(alarm.timer);
    alarms.delete(alarm);
  }

  return {
    get skewMs() {
      return skewMs;
    },
    skew(given) {
      skewMs = given;
      // In the order of their times, for all that are due now ring in the order they are armed.
      const inOrder = Array.from(alarms).toSorted((a, b) => a.atMs - b.atMs);
      for (const alarm of inOrder) arm(alarm);
    },
    nowMs,
    alarm(atMs, ring) {
      const alarm: Alarm = { atMs, ring, timer: undefined };
      alarms.add(alarm);
      arm(alarm);
      return () => cancel(alarm);
    },
    stop() {
      for (const alarm of alarms) clearTimeout(alarm.timer);
      alarms.clear();
    },
  };
}
