// Which combinations there are: nobody lists them by hand. A run without a crash is watched, and every boundary that it
// visits, each visit for itself, is combined with every contract, fault and number of workers.
//
// Some boundaries are only reached when something else went wrong before. So there are situations; each adds the visits
// that the calm run did not have.
import { contractKinds, type ContractKind } from "../simulation/contracts.ts";
import {
  faultKinds,
  runOnce,
  type Combination,
  type FaultKind,
  type Situation,
} from "./run-once.ts";

export const situations: readonly Situation[] = [
  "calm",
  "answerLost",
  "writeUnanswered",
  "overtaken",
  "shortBudget",
];

export interface Point {
  boundary: string;
  visit: number;
}

/** What a turn visits in a situation, in the order in which it does. */
export async function pointsOf(kind: ContractKind, situation: Situation): Promise<Point[]> {
  const { visited } = await runOnce({ contract: kind, situation, workers: 1 });
  const visits = new Map<string, number>();
  return visited.map((boundary) => {
    const visit = (visits.get(boundary) ?? 0) + 1;
    visits.set(boundary, visit);
    return { boundary, visit };
  });
}

export async function combinationsOf(
  kinds: readonly ContractKind[] = contractKinds,
): Promise<Combination[]> {
  const combinations: Combination[] = [];
  for (const contract of kinds) {
    const seen = new Set<string>();
    for (const situation of situations) {
      for (const { boundary, visit } of await pointsOf(contract, situation)) {
        if (seen.has(`${boundary} ${visit}`)) continue;
        seen.add(`${boundary} ${visit}`);
        for (const fault of faultKinds.filter((one) => hasMeaning(boundary, one))) {
          for (const workers of [1, 2] as const) {
            combinations.push({ contract, situation, boundary, visit, fault, workers });
          }
        }
      }
    }
  }
  return combinations;
}

/** A pause asks nobody, so it has no answer to lose. */
function hasMeaning(boundary: string, fault: FaultKind): boolean {
  return (
    boundary !== "pause" ||
    fault === "killedBefore" ||
    fault === "killedAfter" ||
    fault === "answerLate"
  );
}
