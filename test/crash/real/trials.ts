// Which combinations with real workers there are: nobody lists them by hand. A run without a fault is watched; each visit of
// each boundary is then combined with the faults and the number of machines. Boundaries that a calm run never visits are
// taken from the situations that lead there.
import type { Lane } from "./lane.ts";
import {
  runTrial,
  trialSituations,
  type Combination,
  type StrikeKind,
  type TrialSituation,
} from "./run-trial.ts";
import { wireBoundary } from "./told.ts";

export interface Point {
  situation: TrialSituation;
  boundary: string;
  visit: number;
}

/** From the boundaries that an undisturbed run visited. */
export async function pointsOf(
  lane: Lane,
  action: string,
  calm: readonly string[],
): Promise<Point[]> {
  const visits = new Map<string, number>();
  const points = calm.map((boundary): Point => {
    const visit = (visits.get(boundary) ?? 0) + 1;
    visits.set(boundary, visit);
    return { situation: "calm", boundary, visit };
  });
  for (const situation of trialSituations.filter((one) => one !== "calm")) {
    const { visited } = await runTrial(lane, { action, situation });
    for (const boundary of new Set(visited)) {
      if (points.some((point) => point.boundary === boundary)) continue;
      points.push({ situation, boundary, visit: 1 });
    }
  }
  return points;
}

/** `hasKey`: its provider enforces a key, so the machine needs no person to end an unknown. */
export function combinationsAt(
  action: string,
  points: readonly Point[],
  { hasKey }: { hasKey: boolean },
): Combination[] {
  return points.flatMap((point) => {
    const combined = faultsAt(point).flatMap((fault) =>
      ([1, 2] as const).map((machines): Combination => ({ action, ...point, fault, machines })),
    );
    // It takes a second machine to show a person what became of the first.
    const isDeniable = point.boundary === "send" && !hasKey;
    const denied: Combination = { action, ...point, fault: "frozenDenied", machines: 2 };
    return isDeniable ? [...combined, denied] : combined;
  });
}

/** A horizon is about calls, and so is an answer that does not come. */
function faultsAt({ boundary }: Point): StrikeKind[] {
  if (boundary === wireBoundary) return ["killed", "frozen", "frozenLong", "silent"];
  if (boundary === "send") return ["killed", "frozen", "frozenLong"];
  return ["killed", "frozen"];
}
