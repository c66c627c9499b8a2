// Who said yes, to what, and when: rules over the questions in the ledger and the journal of people's answers.
import type { Approval } from "../../shared/domain/records/approval.ts";
import type { Effect } from "../../shared/domain/records/effect.ts";
import { refreshSource } from "../../shared/domain/event-type.ts";
import {
  caseIn,
  claimsOf,
  contentOf,
  effectsIn,
  digestFor,
  frozenEffects,
  gateOf,
} from "./history.ts";
import { judged, type Judged } from "./judged.ts";
import type { CaseTestimony, Landed, PersonsAnswer, Testimony } from "./testimony.ts";

/** The store's clock tells whole seconds. */
const storeSlackMs = 1000;

interface Taken {
  answer: PersonsAnswer;
  approval: Approval;
  one: CaseTestimony;
}

const isTaken = ({ result }: PersonsAnswer) => result === "answered";

function takenAnswers({ answers, cases }: Testimony): Taken[] {
  return answers.filter(isTaken).flatMap((answer) => {
    const one = cases.find(({ key }) => key.caseId === answer.caseId);
    const approval = one?.final?.snapshot.approvals.find(({ id }) => id === answer.approvalId);
    return one === undefined || approval === undefined ? [] : [{ answer, approval, one }];
  });
}

/** Someone said yes to these very bytes, on the version that was decided on, before the gate's look, and not too long before. */
export function approvalHeldAtGate(testimony: Testimony): Judged {
  const frozen = frozenEffects(testimony);
  const yes = takenAnswers(testimony).filter(({ answer }) => answer.decision === "approve");
  const calls = testimony.received.filter(
    ({ action, operationId, payload }) =>
      testimony.asksFirst(action, payload) && frozen.get(operationId)?.origin === "plan",
  );
  return judged(calls, (call) => {
    const effect = frozen.get(call.operationId);
    const lookedAtMs = gateOf(testimony, call)?.atMs ?? call.sentAtMs;
    const holds = yes.some(
      ({ answer, approval }) =>
        approval.operationId === call.operationId &&
        effect !== undefined &&
        approval.payloadDigest === digestFor(effect, call.payload) &&
        approval.version === effect.decidedOn &&
        answer.fromMs <= lookedAtMs &&
        lookedAtMs < approval.expiresAtMs + storeSlackMs,
    );
    return holds
      ? undefined
      : `${call.operationId} was sent by ${call.worker}, and no approval of it held`;
  });
}

/** Nothing of a plan is claimed before all that it needs are given. */
export function approvalsComeFirst(testimony: Testimony): Judged {
  const { cases } = testimony;
  const yes = takenAnswers(testimony).filter(({ answer }) => answer.decision === "approve");
  const claims = cases.flatMap((one) => {
    const effects = [...frozenEffects({ ...testimony, cases: [one] }).values()];
    return claimsOf(one).flatMap(({ after, atMs }) => {
      const needed = effects.filter(
        (effect) =>
          isOfPlan(effect, after) && testimony.asksFirst(effect.action, contentOf(one, effect)),
      );
      return needed.length === 0 ? [] : [{ after, atMs, needed }];
    });
  });
  return judged(claims, ({ after, atMs, needed }) =>
    needed
      .filter(
        ({ operationId }) =>
          !yes.some(
            ({ answer, approval }) => approval.operationId === operationId && answer.fromMs <= atMs,
          ),
      )
      .map(
        ({ operationId }) => `${after.operationId} was claimed before ${operationId} was approved`,
      ),
  );
}

function isOfPlan(effect: Effect, claimed: Effect): boolean {
  return (
    claimed.origin === "plan" && effect.origin === "plan" && effect.decidedOn === claimed.decidedOn
  );
}

/** Several events may be folded in one batch: each that changed something has its own. */
function askersIn(landed: Landed): (string | undefined)[] {
  const told = landed.batch.replaces.map((document) =>
    document.type === "event" &&
    document.folded?.how === "merged" &&
    document.source !== refreshSource
      ? document.requestedBy
      : undefined,
  );
  return [caseIn(landed).requestedBy, ...told];
}

/** Never whoever set the case going, now or before, and never a machine. */
export function approverIsAnother(testimony: Testimony): Judged {
  return judged(takenAnswers(testimony), ({ answer, approval, one }) => {
    const at = one.landed.findIndex(({ batch }) =>
      batch.creates.some(({ id }) => id === approval.id),
    );
    const askers = one.landed.slice(0, at + 1).flatMap((landed) => askersIn(landed));
    return askers.includes(answer.by) || answer.by === "model"
      ? `${approval.id} was answered by ${answer.by}, for whom it was asked`
      : undefined;
  });
}

export function answeredOnce(testimony: Testimony): Judged {
  const taken = takenAnswers(testimony);
  return judged(taken, ({ answer, approval }) => {
    const first = taken.find((other) => other.approval === approval);
    return first?.answer.answerId === answer.answerId &&
      approval.answer?.answerId === answer.answerId
      ? undefined
      : `${approval.id} was answered twice, the last time by ${answer.by}`;
  });
}

/** No answer is taken to a question that has run out, or on facts of record that are no longer so. */
export function answersAreCurrent(testimony: Testimony): Judged {
  return judged(takenAnswers(testimony), ({ answer, approval, one }) => {
    const { caseId, fromMs, untilMs } = answer;
    const ofVersion = one.landed
      .map(caseIn)
      .find(({ plan }) => plan?.decidedOn === approval.version);
    const edits = testimony.recordEdits.filter((edit) => edit.caseId === caseId);
    const edited = edits.findLast(({ atMs }) => atMs <= fromMs)?.edited;
    // Edited while it was read: either may have been seen.
    const isSteady = !edits.some(({ atMs }) => atMs > fromMs && atMs <= untilMs);
    return [
      fromMs < approval.expiresAtMs + storeSlackMs
        ? undefined
        : `${approval.id} was answered ${fromMs - approval.expiresAtMs} ms after it had run out`,
      !isSteady || edited === ofVersion?.facts["edited"]
        ? undefined
        : `${approval.id} was answered on facts of record that had changed`,
    ];
  });
}

/** A compensation names what is confirmed, and is an action of its own: with its own grant, its own approval. */
export function compensationHasCause({ cases }: Testimony): Judged {
  const made = cases.flatMap(({ landed }) => {
    const latest = new Map<string, Effect>();
    return landed.flatMap((one) => {
      for (const effect of effectsIn(one)) latest.set(effect.operationId, effect);
      const created = new Set(one.batch.creates.map(({ id }) => id));
      return effectsIn(one)
        .filter(({ compensates, id }) => compensates !== undefined && created.has(id))
        .map((effect) => ({ effect, named: latest.get(effect.compensates ?? "") }));
    });
  });
  return judged(made, ({ effect, named }) => [
    named?.status === "confirmed"
      ? undefined
      : `${effect.operationId} would make good what is ${named?.status ?? "not there"}`,
    named?.action === effect.action ? `${effect.operationId} makes good its own like` : undefined,
  ]);
}
