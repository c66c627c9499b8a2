// Moves dead letters, so that none is lost whenever it is killed (cases.md 29): what takes a letter's place is durable first, the
// copy in the queue or the record in the store, and only then is the letter completed.
//
//   receive (lock) -> copy accepted by the broker | archived in the store -> complete
//
// Killed in between, a letter is moved twice, which costs one more look at its case: the ledger lets no effect happen twice.
// Each copy has a message id of its own, or duplicate detection would swallow it (cases.md 22).
import type { ArchivedLetter } from "../../../domain/records/archived-letter.ts";
import { noCaseLetters } from "../../../domain/records/archived-letter.ts";
import type { DeadLetter, OpenDeadLetters } from "../../../stores/dead-letter-port.ts";
import type { OperatorStore } from "../../../stores/operator-ports.ts";
import { archived } from "./letter.ts";
import { markedProperties, marksOf, resubmitsMax } from "./marks.ts";
import type { Moved } from "./move.ts";

export interface Mover {
  open: OpenDeadLetters;
  operators: Pick<OperatorStore, "archiveLetter">;
  how: "resubmit" | "archive";
  runId: string;
  by: string;
  why: string;
  nowMs(): number;
  random(): string;
}

/** Nobody answered: the run stops here, and the letter stays. */
export const noAnswerYet = "it is not known whether it was taken; it stays, and may be there twice";
/** Nor would it take any other. */
export const queueClosed = "the queue takes nothing just now: it is full, or disabled";

export function stopsRun({ why }: Moved): boolean {
  return why === noAnswerYet || why === queueClosed;
}

/** One after the other: the transport may join the answers of several that are on their way at once. */
export async function moveLetters(mover: Mover, letters: readonly DeadLetter[]): Promise<Moved[]> {
  const moved: Moved[] = [];
  for (const letter of letters) {
    const one = await replace(mover, letter);
    const isReplaced = one.outcome !== "failed" && one.outcome !== "skipped";
    const isLost = isReplaced && (await mover.open.complete(letter)) === "lost";
    moved.push(isLost ? { ...one, why: "its lock was lost: it may come once more" } : one);
    // Each further one would wait as long, or be turned away as well.
    if (stopsRun(one)) break;
  }
  return moved;
}

/** What would come of it, and what would not. */
export function planned(letter: DeadLetter, how: Mover["how"], runId: string): Moved {
  const { sequenceNumber } = letter;
  const marks = marksOf(letter);
  if (marks.runId === runId) {
    return { sequenceNumber, outcome: "skipped", why: "this run has sent it" };
  }
  if (how === "archive") return { sequenceNumber, outcome: "archived" };
  const cannot = whyNoCopy(letter);
  if (cannot !== undefined) return { sequenceNumber, outcome: "failed", why: cannot };
  if (marks.resubmitCount >= resubmitsMax) {
    const why = `it was resubmitted ${marks.resubmitCount} times and came back each time`;
    return { sequenceNumber, outcome: "parked", why };
  }
  return { sequenceNumber, outcome: "resubmitted" };
}

function whyNoCopy({ body, sessionId }: DeadLetter): string | undefined {
  if (sessionId === undefined || sessionId === "") {
    return "it names no session, so the queue would not take it: edit or archive it";
  }
  return body.kind === "amqp" && body.type === "several"
    ? "its body has several sections, which cannot be copied as they are: archive it"
    : undefined;
}

async function replace(mover: Mover, letter: DeadLetter): Promise<Moved> {
  const plan = planned(letter, mover.how, mover.runId);
  switch (plan.outcome) {
    case "failed":
    case "skipped":
      return plan;
    case "archived":
      return archive(mover, letter, { plan, how: "archived", why: mover.why });
    case "parked":
      return archive(mover, letter, { plan, how: "parked", why: plan.why ?? "" });
    case "resubmitted":
      return resubmit(mover, letter);
  }
}

export async function archive(
  { by, nowMs, operators }: Pick<Mover, "by" | "nowMs" | "operators">,
  letter: DeadLetter,
  { how, plan, why }: { plan: Moved; how: ArchivedLetter["how"]; why: string },
): Promise<Moved> {
  const record = archived(letter, { how, why, by, atMs: nowMs(), noCase: noCaseLetters });
  const created = await operators.archiveLetter(record);
  return created === "uncertain" ? { ...plan, outcome: "failed", why: noAnswerYet } : plan;
}

async function resubmit(mover: Mover, letter: DeadLetter): Promise<Moved> {
  const { sequenceNumber } = letter;
  // Where the whole past does not fit, the copy goes without it (cases.md 14).
  for (const withPast of [true, false]) {
    const messageId = mover.random();
    const marked = { runId: mover.runId, atMs: mover.nowMs(), withPast };
    const properties = markedProperties(letter, marked);
    const sent = await mover.open.send(letter, { messageId, properties });
    switch (sent) {
      case "sent":
        return { sequenceNumber, outcome: "resubmitted", newMessageId: messageId };
      case "uncertain":
        return { sequenceNumber, outcome: "failed", why: noAnswerYet };
      case "closed":
        return { sequenceNumber, outcome: "failed", why: queueClosed };
      case "refused":
        return { sequenceNumber, outcome: "failed", why: "the queue does not take a copy of it" };
      case "tooLarge":
        continue;
    }
  }
  const why = "with what a copy must say of its past it is larger than the queue takes: archive it";
  return { sequenceNumber, outcome: "failed", why };
}
