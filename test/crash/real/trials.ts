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

export async function pointsOf(lane: Lane, action: string): Promise<Point[]> {
  const points: Point[] = [];
  for (const situation of trialSituations) {
    const { visited } = await runTrial(lane, { action, situation });
    const calm = new Set(
      points.filter((point) => point.situation === "calm").map(({ boundary }) => boundary),
    );
    const visits = new Map<string, number>();
    for (const boundary of visited) {
      const visit = (visits.get(boundary) ?? 0) + 1;
      visits.set(boundary, visit);
      const isNew = !points.some((one) => one.boundary === boundary);
      if (situation === "calm" || (isNew && !calm.has(boundary))) {
        points.push({ situation, boundary, visit });
      }
    }
  }
  return points;
}

export function combinationsAt(action: string, points: readonly Point[]): Combination[] {
  return points.flatMap((point) =>
    faultsAt(point).flatMap((fault) =>
      ([1, 2] as const).map((machines) => ({ action, ...point, fault, machines })),
    ),
  );
}

/** A horizon is about calls, and so is an answer that does not come. */
function faultsAt({ boundary }: Point): StrikeKind[] {
  if (boundary === wireBoundary) return ["killed", "frozen", "frozenLong", "silent"];
  if (boundary === "send") return ["killed", "frozen", "frozenLong"];
  return ["killed", "frozen"];
}
