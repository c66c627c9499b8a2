// One request of a run: takes letters from the front, moves those that are meant, and says how to go on.
//
// A run ends: it covers what was there when it began, by sequence number, and passes over its own copies (cases.md 31). A request
// ends: after `max` letters or some seconds, whatever the queue holds; in memory is one page, and the locks of what was passed.
import type { DeadLetter, DeadLetterStore } from "../../../stores/dead-letter-port.ts";
import { compareSequence } from "../../../stores/dead-letter-port.ts";
import type { OperatorStore } from "../../../stores/operator-ports.ts";
import type { QueueName } from "../../../stores/ports.ts";
import type { Principal } from "../access/principal.ts";
import { cursorText } from "../page.ts";
import type { Reply } from "../serve.ts";
import { hintedCase, isWanted } from "./letter.ts";
import { moveLetters, planned, queueClosed, stopsRun, type Mover } from "./move-letters.ts";
import type { Moved, MoveAnswer, MoveBody, Run } from "./move.ts";
import { previewer, type PreviewPorts } from "./preview.ts";
import { isBeyond, scanLetters } from "./scan.ts";

export interface MovePorts extends PreviewPorts {
  deadLetters: DeadLetterStore;
  operators: OperatorStore;
  nowMs(): number;
  random(): string;
}

export interface MoveRequest {
  queue: QueueName;
  tenant: string;
  how: Mover["how"];
  body: MoveBody;
  principal: Principal;
}

const requestBudgetMs = 12_000;
const chunkMax = 100;
const waitMs = 1000;

export async function runDeadLetters(
  ports: MovePorts,
  request: MoveRequest,
): Promise<Reply<MoveAnswer>> {
  const { body } = request;
  if (body.cursor !== undefined && body.cursor.dry !== body.dryRun) return otherRun;
  const run = body.cursor ?? (await beginRun(ports, request));
  if (run === undefined) {
    const empty = { id: ports.random(), through: "0", total: 0, dealt: 0, dry: body.dryRun };
    return reply(answerOf(empty, [], { dryRun: body.dryRun, done: true, left: 0 }));
  }
  return reply(body.dryRun ? await rehearse(ports, request, run) : await move(ports, request, run));
}

const otherRun: Reply<never> = {
  kind: "problem",
  problem: {
    status: 400,
    slug: "bad-request",
    detail: "A dry run cannot be gone on with in earnest, nor the other way round.",
    errors: [{ field: "cursor", detail: "is of a run with another dryRun; begin without one" }],
  },
};

function reply(answer: MoveAnswer): Reply<MoveAnswer> {
  const { archived, failed, isMore, parked, resubmitted, runId, stopped } = answer;
  const counts = `${resubmitted} resubmitted, ${archived} archived, ${parked} parked, ${failed} failed`;
  const more = isMore === true ? "; there are more behind them" : "";
  const end = stopped === undefined ? more : `; stopped: ${stopped}`;
  return { kind: "done", body: answer, recorded: `run ${runId}: ${counts}${end}` };
}

/** Undefined: there is nothing to move. */
async function beginRun(ports: MovePorts, request: MoveRequest): Promise<Run | undefined> {
  const { body, queue, tenant } = request;
  let total = 0;
  let through: string | undefined;
  const scan = { queue, tenant, filter: body.filter };
  const { isWhole } = await scanLetters(ports, scan, ({ sequenceNumber }) => {
    total += 1;
    through = sequenceNumber;
    return true;
  });
  const seen = isWhole ? {} : { isMore: true };
  return through === undefined
    ? undefined
    : { id: ports.random(), through, total, ...seen, dealt: 0, dry: body.dryRun };
}

async function rehearse(ports: MovePorts, request: MoveRequest, run: Run): Promise<MoveAnswer> {
  const { body, how, queue, tenant } = request;
  const found: DeadLetter[] = [];
  const scan = { queue, tenant, filter: body.filter, after: run.after, through: run.through };
  const { isWhole, lastSequence } = await scanLetters(ports, scan, (letter) => {
    found.push(letter);
    return found.length < body.max;
  });
  const previewOf = previewer(ports);
  const letters: Moved[] = [];
  for (const letter of found) {
    const preview = await previewOf(hintedCase(letter));
    letters.push({ ...planned(letter, how, run.id), preview });
  }
  const done = isWhole || lastSequence === run.through;
  return answerOf({ ...run, after: lastSequence, dealt: run.dealt + letters.length }, letters, {
    dryRun: true,
    done,
  });
}

async function move(ports: MovePorts, request: MoveRequest, run: Run): Promise<MoveAnswer> {
  const { body, how, principal, queue } = request;
  const open = ports.deadLetters.open(queue);
  const { nowMs, operators, random } = ports;
  const named = { runId: run.id, by: principal.id, why: body.reason };
  const mover: Mover = { open, operators, how, nowMs, random, ...named };
  try {
    const { after, ended, letters } = await moveSome(mover, request, run);
    const dealt = run.dealt + letters.filter((letter) => !stopsRun(letter)).length;
    const next = { ...run, after, dealt };
    if (ended === "stopped") {
      const isClosed = letters.at(-1)?.why === queueClosed;
      const why = isClosed ? queueClosed : "the broker or the store did not answer";
      const stopped = `${why}; what is not moved stays`;
      return answerOf(next, letters, { dryRun: false, done: false, stopped });
    }
    if (ended === "more") return answerOf(next, letters, { dryRun: false, done: false });
    const left = await countLeft(ports, request, run);
    return answerOf(next, letters, { dryRun: false, done: true, left });
  } finally {
    await open.close();
  }
}

interface Some {
  letters: Moved[];
  after: string | undefined;
  ended: "all" | "more" | "stopped";
}

async function moveSome(mover: Mover, request: MoveRequest, run: Run): Promise<Some> {
  const { max } = request.body;
  const endMs = mover.nowMs() + requestBudgetMs;
  const letters: Moved[] = [];
  let { after } = run;
  let others = 0;
  const some = (ended: Some["ended"]): Some => ({ letters, after, ended });
  while (letters.length < max && mover.nowMs() < endMs) {
    const missing = run.total - run.dealt - letters.length;
    if (missing <= 0) return some("all");
    // Who asks for more than there is waits for it; where others stand before, only a large chunk gets past them.
    const wish = Math.min(chunkMax, max - letters.length, others > 0 ? chunkMax : missing);
    const received = await mover.open.receive(wish, waitMs);
    if (received.length === 0) return some("all");
    const meant = received.filter((letter) => isMeant(letter, request, run));
    others += received.length - meant.length;
    const moved = await moveLetters(mover, meant);
    letters.push(...moved);
    if (moved.some(stopsRun)) return some("stopped");
    for (const { sequenceNumber } of meant) after = later(after, sequenceNumber);
    if (received.every(({ sequenceNumber }) => isBeyond(sequenceNumber, run.through))) {
      return some("all");
    }
  }
  return some(letters.length + run.dealt >= run.total ? "all" : "more");
}

/** What the run has dealt with stays where it is, when that is where it has to stay. */
function isMeant(letter: DeadLetter, { body, tenant }: MoveRequest, run: Run): boolean {
  const { sequenceNumber } = letter;
  if (isBeyond(sequenceNumber, run.through)) return false;
  if (run.after !== undefined && !isBeyond(sequenceNumber, run.after)) return false;
  return isWanted(letter, { tenant, filter: body.filter });
}

function later(known: string | undefined, sequenceNumber: string): string {
  return known === undefined || compareSequence(sequenceNumber, known) > 0 ? sequenceNumber : known;
}

/** Failed, locked by somebody else, or come back: shown, never hidden. */
async function countLeft(ports: MovePorts, request: MoveRequest, run: Run): Promise<number> {
  const { body, queue, tenant } = request;
  let left = 0;
  const scan = { queue, tenant, filter: body.filter, through: run.through };
  await scanLetters(ports, scan, () => {
    left += 1;
    return true;
  });
  return left;
}

function answerOf(
  run: Run,
  letters: Moved[],
  end: Pick<MoveAnswer, "dryRun" | "done" | "left" | "stopped">,
): MoveAnswer {
  const count = (outcome: Moved["outcome"]) =>
    letters.filter((letter) => letter.outcome === outcome).length;
  return {
    runId: run.id,
    total: run.total,
    ...(run.isMore === true ? { isMore: true } : {}),
    resubmitted: count("resubmitted"),
    archived: count("archived"),
    parked: count("parked"),
    failed: count("failed"),
    skipped: count("skipped"),
    letters,
    ...end,
    ...(end.done ? {} : cursorText(run)),
  };
}
