// Sends another hint instead of a dead letter, for one whose body or session is wrong: the original is kept as a record first.
//
// What may be edited is all that a hint says, the case; so an edit can make somebody look at a case, and nothing else.
import { caseKeyText, parseCaseKey } from "../../../domain/identity.ts";
import type { DeadLetter, OpenDeadLetters } from "../../../stores/dead-letter-port.ts";
import { compareSequence } from "../../../stores/dead-letter-port.ts";
import type { QueueName } from "../../../stores/ports.ts";
import type { Principal } from "../access/principal.ts";
import type { Reply } from "../serve.ts";
import { isWanted } from "./letter.ts";
import { markedProperties } from "./marks.ts";
import { archive, noAnswerYet, queueClosed } from "./move-letters.ts";
import type { Moved, MoveAnswer } from "./move.ts";
import { previewer } from "./preview.ts";
import type { MovePorts } from "./run-dead-letters.ts";
import { deploymentRecords } from "../../../domain/records/operator-record.ts";

export interface EditRequest {
  queue: QueueName;
  tenant: string;
  sequence: string;
  body: { caseKey: string; dryRun: boolean; reason: string };
  principal: Principal;
}

const takeBudgetMs = 10_000;
const cannot = "the queue does not take the new hint";
const chunkMax = 100;

export async function editDeadLetter(
  ports: MovePorts,
  request: EditRequest,
): Promise<Reply<MoveAnswer>> {
  const { body, queue, sequence, tenant } = request;
  const key = parseCaseKey(body.caseKey);
  if (key === undefined || (tenant !== deploymentRecords && key.tenantId !== tenant)) {
    return otherTenant;
  }
  const filter = { sequenceNumbers: [sequence] };
  const [letter] = await ports.deadLetters.peek(queue, { from: sequence, max: 1 });
  if (letter === undefined || !isWanted(letter, { tenant, filter })) return noSuchLetter;
  if (!body.dryRun) return edit(ports, request, caseKeyText(key));
  const preview = await previewer(ports)(key);
  const moved: Moved = { sequenceNumber: sequence, outcome: "resubmitted", preview };
  return answered(ports.random(), moved, true);
}

async function edit(
  ports: MovePorts,
  request: EditRequest,
  caseKey: string,
): Promise<Reply<MoveAnswer>> {
  const { queue, sequence } = request;
  const open = ports.deadLetters.open(queue);
  const runId = ports.random();
  try {
    const letter = await take(ports, open, sequence);
    if (letter === undefined) {
      const why = "somebody else has it just now; its lock ends within a minute";
      return answered(runId, { sequenceNumber: sequence, outcome: "failed", why }, false);
    }
    return answered(
      runId,
      await replaceBy(ports, request, { open, letter, caseKey, runId }),
      false,
    );
  } finally {
    await open.close();
  }
}

async function replaceBy(
  ports: MovePorts,
  { body, principal }: EditRequest,
  {
    caseKey,
    letter,
    open,
    runId,
  }: {
    open: OpenDeadLetters;
    letter: DeadLetter;
    caseKey: string;
    runId: string;
  },
): Promise<Moved> {
  const { sequenceNumber } = letter;
  const plan: Moved = { sequenceNumber, outcome: "resubmitted" };
  const mover = { by: principal.id, nowMs: ports.nowMs, operators: ports.operators };
  const kept = await archive(mover, letter, { plan, how: "edited", why: body.reason });
  if (kept.outcome === "failed") return kept;
  const messageId = ports.random();
  const json = JSON.stringify({ caseKey, hintId: messageId, reason: "edited by an operator" });
  const sent = await open.send(letter, {
    messageId,
    properties: markedProperties(letter, { runId, atMs: ports.nowMs(), withPast: false }),
    edited: { sessionId: caseKey, json },
  });
  if (sent !== "sent") {
    const whys = { closed: queueClosed, uncertain: noAnswerYet, tooLarge: cannot, refused: cannot };
    const why = whys[sent];
    return { sequenceNumber, outcome: "failed", why };
  }
  const isLost = (await open.complete(letter)) === "lost";
  const why = isLost ? { why: "its lock was lost: it may come once more" } : {};
  return { ...plan, newMessageId: messageId, ...why };
}

/** Undefined: it is not free. */
async function take(
  { nowMs }: MovePorts,
  open: OpenDeadLetters,
  sequence: string,
): Promise<DeadLetter | undefined> {
  const endMs = nowMs() + takeBudgetMs;
  while (nowMs() < endMs) {
    const received = await open.receive(chunkMax, 1000);
    const found = received.find(({ sequenceNumber }) => sequenceNumber === sequence);
    const isPast = received.some(
      ({ sequenceNumber }) => compareSequence(sequenceNumber, sequence) > 0,
    );
    if (found !== undefined || isPast || received.length === 0) return found;
  }
  return undefined;
}

function answered(runId: string, moved: Moved, dryRun: boolean): Reply<MoveAnswer> {
  const isDone = moved.outcome === "resubmitted";
  const counts = { resubmitted: isDone ? 1 : 0, failed: isDone ? 0 : 1 };
  const body = {
    runId,
    dryRun,
    total: 1,
    archived: 0,
    parked: 0,
    skipped: 0,
    ...counts,
    letters: [moved],
    done: true,
  };
  return { kind: "done", body, recorded: moved.why ?? "the original is archived" };
}

const otherTenant: Reply<never> = {
  kind: "problem",
  problem: {
    status: 400,
    slug: "bad-request",
    detail: "Some fields are missing or wrong.",
    errors: [{ field: "caseKey", detail: "must name a case of the tenant in the path" }],
  },
};

const noSuchLetter: Reply<never> = {
  kind: "problem",
  problem: {
    status: 404,
    slug: "no-such-dead-letter",
    detail: "No dead letter of this tenant has this number; it may have been moved meanwhile.",
  },
};
