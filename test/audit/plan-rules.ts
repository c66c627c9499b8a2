// Decisions, revisions and the ends of plans; how often a case was tried; what is left of an erased one.
import type { Case } from "../../shared/domain/records/case.ts";
import { isFinal, type Effect } from "../../shared/domain/records/effect.ts";
import { caseIn, effectsIn } from "./history.ts";
import { judged, type Judged } from "./judged.ts";
import type { CaseTestimony, Landed, Testimony, TurnTaken } from "./testimony.ts";

function steps({ landed }: CaseTestimony): { before: Landed; after: Landed }[] {
  return landed.slice(1).flatMap((after, n) => {
    const before = landed[n];
    return before === undefined ? [] : [{ before, after }];
  });
}

/** Each effect as the store holds it right after each batch. */
function effectsAfter({ landed }: CaseTestimony, upTo: Landed): Map<string, Effect> {
  const latest = new Map<string, Effect>();
  for (const one of landed) {
    for (const effect of effectsIn(one)) latest.set(effect.operationId, effect);
    if (one === upTo) break;
  }
  return latest;
}

/** A frozen plan is finished by whatever revision comes after: it ends for a cause, and a new revision is none. */
export function plansEndForCause({ cases }: Testimony): Judged {
  const ended = cases.flatMap((one) =>
    steps(one)
      .filter(({ after, before }) => {
        const [was, is] = [caseIn(before), caseIn(after)];
        const isOver = was.plan !== undefined && is.plan?.decidedOn !== was.plan.decidedOn;
        return isOver && was.status === is.status && is.status === "open";
      })
      .map((step) => ({ ...step, one })),
  );
  return judged(ended, ({ after, before, one }) => {
    const { plan } = caseIn(before);
    if (plan === undefined || caseIn(after).version > plan.decidedOn + 1) return undefined;
    const effects = effectsAfter(one, after);
    const isBroken = plan.operationIds.some((operationId) => {
      const effect = effects.get(operationId);
      const isFailed = effect?.status === "confirmed" && effect.receipt.stage === "failed";
      return (
        effect?.status === "rejected" ||
        (effect?.status === "unknown" && isFinal(effect)) ||
        (isFailed && wasSeen(one, after, operationId))
      );
    });
    const isRefused = one.final?.snapshot.approvals.some(
      ({ answer, version }) => version === plan.decidedOn && answer?.decision === "refuse",
    );
    if (isBroken || isRefused === true) return undefined;
    return `the plan of v${plan.decidedOn} was ended by ${after.batch.log.by} for no cause`;
  });
}

/** That it failed at its goal had been shown to somebody, who said so. */
function wasSeen({ landed }: CaseTestimony, upTo: Landed, operationId: string): boolean {
  return landed
    .slice(0, landed.indexOf(upTo) + 1)
    .some(({ batch }) =>
      batch.replaces.some(
        (document) =>
          document.type === "review" &&
          document.kind === "NotificationFailed" &&
          document.subject === operationId &&
          document.resolution !== undefined,
      ),
    );
}

/** Nobody writes over what a newer revision has written. */
export function newerIsLeft({ cases, workers }: Testimony): Judged {
  const written = cases.flatMap(steps).flatMap(({ after, before }) => {
    const writer = workers.get(after.batch.log.by);
    return writer === undefined ? [] : [{ after, before, writer }];
  });
  return judged(written, ({ after, before, writer }) => {
    const { revision } = caseIn(before).workflow;
    if (revision <= writer.revision) return undefined;
    return `${after.batch.log.by} of revision ${writer.revision} wrote over revision ${revision}`;
  });
}

/** A decision is of its worker's own code, and rests on a model's answer for this version under this revision. */
export function decidedByOwnCode({ cases, workers }: Testimony): Judged {
  const planned = cases.flatMap(({ landed }) =>
    landed.flatMap((one) =>
      one.batch.creates.flatMap((document) =>
        document.type === "effect" && document.origin === "plan"
          ? [{ effect: document, writer: workers.get(one.batch.log.by) }]
          : [],
      ),
    ),
  );
  return judged(planned, ({ effect, writer }) => {
    // A payload that is kept apart says nothing here.
    const { advice, revision } = (effect.payload ?? {}) as {
      revision?: number;
      advice?: { revision: number; version: number };
    };
    const isOwn = revision === undefined || writer?.revision === revision;
    const isFit =
      advice === undefined || (advice.revision === revision && advice.version === effect.decidedOn);
    return [
      isOwn ? undefined : `${effect.operationId} was decided by revision ${revision}`,
      isFit ? undefined : `${effect.operationId} rests on an answer for v${advice.version}`,
    ];
  });
}

/** What a checkpoint of the same revision gave is not asked for again. */
export function adviceIsKept({ advices, checkpoints }: Testimony): Judged {
  return judged(advices, ({ atMs, revision, version, worker }) => {
    const read = checkpoints.findLast((one) => one.worker === worker && one.atMs <= atMs);
    const isKept = read?.revision === revision && read.id === `checkpoint:${version}:advice`;
    return isKept ? `${worker} asked again for what it had just read: v${version}` : undefined;
  });
}

/** A turn that read the truth and came to its end by then. */
function wasWell(turn: TurnTaken, atMs: number): boolean {
  const { failed, handedOn, lagVersions, untilMs = Infinity } = turn;
  return untilMs <= atMs && failed !== true && handedOn !== true && lagVersions === 0;
}

/**
 * A crash is counted for a message that came again, or for work that was long overdue; and no second one in a row after a
 * worker that lived to the end. A living worker counts towards parking in one way only: its reads lag, so that it does not see
 * its own count and leaves it there.
 */
export function crashesAreReal(testimony: Testimony): Judged {
  const counted = testimony.cases.flatMap((one) =>
    steps(one)
      .filter(({ after, before }) => crashesOf(after) > crashesOf(before))
      // Where nobody kept a journal of turns there is nothing to judge by.
      .flatMap((step) => {
        const turn = turnOf(testimony, one, step.after);
        return turn === undefined ? [] : [{ ...step, one, turn }];
      }),
  );
  return judged(counted, ({ after, before, one, turn }) => {
    const last = turnOf(testimony, one, before);
    // A count that landed after its worker's end could not be taken back by it.
    const isLate = before.atMs > (last?.untilMs ?? Infinity);
    const isSecond = crashesOf(before) > 0 && last !== turn && !isLate;
    return [
      turn.redelivered || wasOverdue(one, before, after.atMs)
        ? undefined
        : `${after.batch.log.id} counts a crash, and nothing was late`,
      isSecond && last !== undefined && wasWell(last, after.atMs)
        ? `${after.batch.log.id} counts a crash after ${last.worker} had come to its end`
        : undefined,
    ];
  });
}

const lookSlackMs = 8000;

const crashesOf = (landed: Landed): number => caseIn(landed).crashes ?? 0;

/** The turn that wrote it, though it may have landed during the next. */
function turnOf(
  { turns }: Testimony,
  one: CaseTestimony,
  { atMs, batch, sentAtMs = atMs }: Landed,
) {
  return turns.findLast(
    (turn) =>
      turn.worker === batch.log.by && turn.caseId === one.key.caseId && turn.fromMs <= sentAtMs,
  );
}

function wasOverdue({ final }: CaseTestimony, before: Landed, atMs: number): boolean {
  const late = atMs - 10_000;
  // What was folded bears the time of its turn's last look.
  const foldedSinceMs = before.atMs - lookSlackMs;
  const { events = [], findings = [] } = final?.snapshot ?? {};
  const isLate = (sinceMs: number, foldedAtMs: number | undefined) =>
    sinceMs < late && (foldedAtMs ?? Infinity) >= foldedSinceMs;
  return (
    (caseIn(before).dueAtMs ?? Infinity) < late ||
    events.some(({ folded, receivedAtMs }) => isLate(receivedAtMs, folded?.atMs)) ||
    findings.some(({ folded, foundAtMs }) => isLate(foundAtMs, folded?.atMs))
  );
}

/** Only a closed case is erased, and nothing of its content is left. */
export function erasedForGood(testimony: Testimony): Judged {
  return judged(testimony.erasures, ({ atMs, caseId }) => {
    const one = testimony.cases.find(({ key }) => key.caseId === caseId);
    const last = one?.landed.findLast((landed) => landed.atMs <= atMs);
    if (one === undefined || last === undefined) return `${caseId} is not there`;
    const open = [...effectsAfter(one, last).values()].filter((effect) => !isFinal(effect));
    const content = contentOf(one, atMs);
    return [
      caseIn(last).status === "done" ? undefined : `${caseId} was erased while it was open`,
      open.length === 0 ? undefined : `${open[0]?.operationId} was erased while ${open[0]?.status}`,
      content.includes(testimony.privateNote) || content.includes(`T-${caseId}`)
        ? `${caseId} still holds what was erased`
        : undefined,
    ];
  });
}

/** What came after the erasure is another matter. */
function contentOf({ final }: CaseTestimony, atMs: number): string {
  const { snapshot, log = [] } = final ?? {};
  const record: Case | undefined = snapshot?.case;
  return JSON.stringify([
    record,
    snapshot?.effects,
    snapshot?.events.filter(({ receivedAtMs }) => receivedAtMs <= atMs),
    snapshot?.findings.filter(({ foundAtMs }) => foundAtMs <= atMs),
    snapshot?.approvals,
    snapshot?.reviews.filter(({ openedAtMs }) => openedAtMs <= atMs),
    log.filter((line) => line.atMs <= atMs),
  ]);
}
