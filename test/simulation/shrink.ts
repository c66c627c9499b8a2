// Leaves faults out of a schedule for as long as the same rule is still broken: what is left tells the story.
import { runSchedule } from "./run-schedule.ts";
import type { Schedule } from "./schedule.ts";

/** What a person still reads to the end. */
export const shrunkMax = 20;

/** `places` are kept of the schedule's list of faults; those that never struck go first. */
export async function shrink(
  schedule: Schedule,
  rule: string,
  fired: readonly number[],
): Promise<readonly number[]> {
  let places: readonly number[] = fired;
  if (!(await breaks(schedule, rule, places))) return schedule.faults.map((_fault, place) => place);
  for (
    let size = Math.ceil(places.length / 2);
    size >= 1;
    size = size === 1 ? 0 : Math.ceil(size / 2)
  ) {
    for (let from = 0; from < places.length;) {
      const fewer = places.filter((_place, n) => n < from || n >= from + size);
      if (await breaks(schedule, rule, fewer)) places = fewer;
      else from += size;
    }
  }
  return places;
}

async function breaks(
  schedule: Schedule,
  rule: string,
  places: readonly number[],
): Promise<boolean> {
  const { violations } = await runSchedule(onlyFaults(schedule, places));
  return violations.some((violation) => violation.rule === rule);
}

/** The others stay in the list as nothing, so that places keep their meaning. */
export function onlyFaults(schedule: Schedule, places: readonly number[]): Schedule {
  const kept = new Set(places);
  return {
    ...schedule,
    faults: schedule.faults.map((fault, place) => (kept.has(place) ? fault : { kind: "none" })),
  };
}
