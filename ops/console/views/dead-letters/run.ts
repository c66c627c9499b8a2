// A run over dead letters, request after request under one cursor: the API moves a bounded number each time, and says how to go on.
//
// Wherever it ends, also when this page is closed, nothing is lost: what was not moved stays, and the next run takes it.
import { ask } from "../../api/ask.ts";
import { moveCounts, type MoveAnswer, type MoveCounts } from "../../api/dead-letter-shapes.ts";
import type { Problem } from "../../api/shapes.ts";

export interface RunRequest {
  /** `dead-letters/{tenant}/{queue}` */
  path: string;
  how: "resubmit" | "archive";
  filter: { cause?: string };
  dryRun: boolean;
  reason: string;
  decisionId: string;
}

export interface Progress {
  counts: MoveCounts;
  total: number;
  /** What a resubmit would do, and for how many; of a dry run. */
  verdicts: Readonly<Record<string, { says: string; count: number }>>;
  whys: readonly string[];
  isDone: boolean;
  left?: number;
  problem?: Problem;
  stopped?: string;
}

const none: Progress = {
  counts: { resubmitted: 0, archived: 0, parked: 0, failed: 0, skipped: 0 },
  total: 0,
  verdicts: {},
  whys: [],
  isDone: false,
};
const lettersOfRequest = 100;

export async function runLetters(
  request: RunRequest,
  hear: (progress: Progress) => void,
  isStopped: () => boolean,
): Promise<Progress> {
  const { path, how, ...rest } = request;
  let progress = none;
  let cursor: string | undefined;
  do {
    const answer = await ask<MoveAnswer>(`${path}/${how}`, {
      body: { ...rest, max: lettersOfRequest, ...(cursor === undefined ? {} : { cursor }) },
    });
    if (answer.kind === "unchanged") return progress;
    if (answer.kind === "problem") return { ...progress, problem: answer.problem };
    progress = added(progress, answer.body);
    cursor = answer.body.next;
    hear(progress);
    if (answer.body.stopped !== undefined || isStopped()) return progress;
  } while (cursor !== undefined);
  return progress;
}

function added(before: Progress, answer: MoveAnswer): Progress {
  const verdicts = { ...before.verdicts };
  for (const { preview } of answer.letters) {
    if (preview === undefined) continue;
    const { says, verdict } = preview;
    verdicts[verdict] = { says, count: (verdicts[verdict]?.count ?? 0) + 1 };
  }
  const counts = { ...before.counts };
  for (const name of moveCounts) counts[name] += answer[name];
  const told = answer.letters.flatMap(({ sequenceNumber, why }) =>
    why === undefined ? [] : [`${sequenceNumber}: ${why}`],
  );
  return {
    counts,
    total: answer.total,
    verdicts,
    whys: [...before.whys, ...told].slice(-20),
    isDone: answer.done,
    ...(answer.left === undefined ? {} : { left: answer.left }),
    ...(answer.stopped === undefined ? {} : { stopped: answer.stopped }),
  };
}

export function movedOf({ counts }: Progress): number {
  return moveCounts.reduce((sum, name) => sum + counts[name], 0);
}
