// Leaves faults out of a schedule for as long as the same rule is still broken: what is left tells the story.
import type { Schedule } from "./schedule.ts";

/** What a person still reads to the end. */
export const shrunkMax = 20;

export interface Shrinking {
  /** Places in the schedule's list of faults. */
  all: readonly number[];
  /** Those that struck: nearly always they are enough. */
  fired: readonly number[];
  /** Is the rule still broken with these alone? */
  breaks(places: readonly number[]): Promise<boolean>;
}

export async function shrink({ all, breaks, fired }: Shrinking): Promise<readonly number[]> {
  let places = (await breaks(fired)) ? fired : all;
  for (
    let size = Math.ceil(places.length / 2);
    size >= 1;
    size = size === 1 ? 0 : Math.ceil(size / 2)
  ) {
    for (let from = 0; from < places.length;) {
      const fewer = places.filter((_place, n) => n < from || n >= from + size);
      if (await breaks(fewer)) places = fewer;
      else from += size;
    }
  }
  return places;
}

/** The others stay in the list as nothing, so that places keep their meaning. */
export function onlyFaults(schedule: Schedule, places: readonly number[]): Schedule {
  const kept = new Set(places);
  return {
    ...schedule,
    faults: schedule.faults.map((fault, place) => (kept.has(place) ? fault : { kind: "none" })),
  };
}
