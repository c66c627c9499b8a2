// The lanes of a case, from what arrived at the top to what people did at the bottom.
import type { Entry } from "../api/shapes.ts";
import { toneOf, type Tone } from "../words.ts";

export const laneNames: Readonly<Record<string, string>> = {
  event: "Events",
  case: "Case",
  approval: "Approvals",
  effect: "Effects",
  attempt: "Attempts",
  finding: "Findings",
  review: "Reviews",
  operator: "People",
};

/** Those that have something in them, in that order; one that this page does not know comes last. */
export function lanesOf(entries: readonly Entry[]): string[] {
  const there = new Set(entries.map(({ lane }) => lane));
  const known = Object.keys(laneNames).filter((lane) => there.has(lane));
  return [...known, ...[...there].filter((lane) => !(lane in laneNames))];
}

/** How the case stands is neither good nor bad; an effect says it with its last word, all others by their outcome. */
export function toneOfEntry({ lane, outcome, what }: Entry): Tone {
  if (lane === "case" || lane === "event") return "plain";
  return lane === "effect" ? toneOf(what.split(" ").at(-1)) : toneOf(outcome);
}
