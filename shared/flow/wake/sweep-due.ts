// Wakes what is due, as the store itself says: the sweep needs no feed, no earlier hint and no order (design.md 6, 7).
//
// A case whose call is overdue goes to queue `reviews`, where slow look-ups have their own pace; any other gets a hint in queue
// `cases`. The sweep wakes, it never decides: a turn that finds nothing to do writes nothing. Two sweeps that overlap send the
// same hint ids, and the broker drops the duplicates. If one queue takes nothing, the other still gets its hints, and the error
// is thrown at the end.
import { hintIdOf } from "../../domain/identity.ts";
import { measureLedger } from "../measure/measure-ledger.ts";
import type { DueCase, QueueName } from "../../stores/ports.ts";
import type { TurnPorts } from "../turn/turn.ts";

export interface SweepResult {
  due: number;
  toCases: number;
  toReviews: number;
  /** True when there was more than one page: the next sweep goes on. */
  more: boolean;
}

export type SweepPorts = Pick<TurnPorts, "cases" | "control" | "hints" | "log" | "telemetry">;

const pageMax = 200;

/** A turn reads the store's time in whole seconds. Woken too early it would find nothing due, and this minute's hint would be spent. */
const wholeSecondMs = 1000;

export async function sweepDue(
  ports: SweepPorts,
  options: { wallClockMs: number },
): Promise<SweepResult> {
  // The store's own clock, if it tells the time. A wrong clock of this worker could only wake somebody too early.
  const { storeMs } = await ports.control.read();
  const nowMs = storeMs ?? options.wallClockMs;
  const due = await pagesOf(ports, nowMs - wholeSecondMs);
  const woken = new Map<string, { queue: QueueName; dueAtMs: number }>();
  for (const { tenantId, caseId, hasClaim, dueAtMs } of due) {
    const key = `${tenantId}:${caseId}`;
    if (hasClaim || !woken.has(key)) {
      woken.set(key, { queue: hasClaim ? "reviews" : "cases", dueAtMs });
    }
  }
  const result: SweepResult = {
    due: due.length,
    toCases: 0,
    toReviews: 0,
    more: due.length >= pageMax,
  };
  // The minute is part of the id, so the next sweep sends a lost hint again.
  const minute = Math.floor(options.wallClockMs / 60_000);
  const broken = new Map<QueueName, unknown>();
  for (const [key, { queue, dueAtMs }] of woken) {
    if (broken.has(queue)) continue;
    const [tenantId = "", caseId = ""] = key.split(":");
    const hintId = hintIdOf({ tenantId, caseId }, "sweep", dueAtMs, minute);
    try {
      await ports.hints.send(queue, { tenantId, caseId, hintId, reason: "due" });
    } catch (error) {
      broken.set(queue, error);
      continue;
    }
    if (queue === "cases") result.toCases += 1;
    else result.toReviews += 1;
  }
  await measure(ports, nowMs);
  for (const error of broken.values()) throw error;
  ports.telemetry.count("countersign.sweep.runs");
  return result;
}

/**
 * Cases that stay due for long (a parked case's events, what newer code wrote) may fill the oldest page for good. Then the
 * newest page is read, too, so that cases that could go on do not wait behind them.
 */
async function pagesOf({ cases }: SweepPorts, nowMs: number): Promise<DueCase[]> {
  const oldest = await cases.due({ nowMs, max: pageMax, from: "oldest" });
  if (oldest.length < pageMax) return oldest;
  return [...oldest, ...(await cases.due({ nowMs, max: pageMax, from: "newest" }))];
}

/** All that is due has been woken by now, so a measurement that fails is only logged; the next sweep measures again. */
async function measure(
  ports: Pick<TurnPorts, "cases" | "log" | "telemetry">,
  nowMs: number,
): Promise<void> {
  try {
    await measureLedger(ports, nowMs);
  } catch (error) {
    const why = error instanceof Error ? error.name : "unknown";
    ports.log.warn("what is unresolved could not be counted", { why });
  }
}
