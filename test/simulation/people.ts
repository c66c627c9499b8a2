// The people who answer questions: some time after one is asked they answer it, by the app's own flow.
//
// Left to themselves they approve. A fault on the nth question makes one of them refuse, come too late or at the last moment,
// answer on facts that have changed, answer together with somebody else, or answer what is their own request.
import type { Approval } from "../../shared/domain/records/approval.ts";
import {
  answerApproval,
  type AnswerResult,
} from "../../shared/flow/operate/approvals/answer-approval.ts";
import type { Principal } from "../../shared/flow/operate/access/principal.ts";
import type { Happening } from "./happenings.ts";
import { bookOf } from "./worker-ports.ts";
import { caseKeyOf, expectTransient, type World } from "./world.ts";

export const answerFaults = [
  "refuse",
  "twoAtOnce",
  "self",
  "machine",
  "tooLate",
  "lastMoment",
  "afterFacts",
  "afterEdit",
  "recordDown",
] as const;
export type AnswerFault = (typeof answerFaults)[number];

export interface PeopleOptions {
  /** How long they take. */
  afterMs: number;
  /** The fault of the nth question. */
  answerFault(question: number): AnswerFault | undefined;
}

/** A question has run out for everybody, by clocks of whole seconds. */
const runOutMs = 1500;
/** Who got no answer across tries again after a while. */
const againMs = 10_000;

interface Question {
  caseN: number;
  approval: Approval;
  fault: AnswerFault | undefined;
}

export const approvers = ["p-1", "p-2"] as const;
const silent = { info: () => {}, warn: () => {}, error: () => {} };

const happenedBy: Partial<Record<AnswerResult["kind"], Happening>> = {
  answeredBefore: "an answer came second",
  void: "an answer was void",
  unavailable: "an answer could not see the facts of record",
};

/** They are told of each question as it becomes durable, and come back to it until it is answered or runs out. */
export function peopleOf(world: World, options: PeopleOptions): void {
  const { clock, nowMs } = world;
  const { notes } = world;
  let questions = 0;
  let answers = 0;
  const book = bookOf(world, {
    id: "people",
    dead: false,
    revision: 2,
    lagVersions: 0,
    instance: "people",
    keys: world.keyring.now(),
  });

  async function answer(
    { approval, caseN }: Question,
    change: { by?: string; isPerson?: boolean; decision?: "approve" | "refuse" } = {},
  ): Promise<AnswerResult["kind"]> {
    answers += 1;
    const { by = approverOf(approval), decision = "approve", isPerson = true } = change;
    const principal: Principal = { id: by, isPerson, roleClaims: ["approver"] };
    const fromMs = nowMs();
    const { cases, hints } = world;
    const random = () => `${answers}`;
    const answerId = `answer-${answers}`;
    const request = {
      key: caseKeyOf(caseN),
      approvalId: approval.id,
      decision,
      answerId,
      principal,
    };
    let kind: AnswerResult["kind"];
    try {
      ({ kind } = await answerApproval({ cases, hints, book, log: silent, random }, request));
    } catch (error) {
      // Only the hint was lost: what was written tells.
      expectTransient(error);
      kind = (await latest(caseN, approval))?.answer?.answerId === answerId ? "answered" : "void";
    }
    const { caseId } = approval;
    const told = { caseId, approvalId: approval.id, answerId, by, decision, fromMs };
    notes.answers.push({ ...told, untilMs: nowMs(), result: kind });
    const happened = happenedBy[kind];
    if (happened !== undefined) notes.happen(happened);
    if (kind === "answered") {
      notes.happen(decision === "approve" ? "an approval was given" : "an approval was refused");
    }
    return kind;
  }

  async function carryOut(question: Question): Promise<void> {
    const { approval, caseN, fault } = question;
    switch (fault) {
      case "refuse":
        await answer(question, { decision: "refuse" });
        return;
      case "twoAtOnce":
        await Promise.all([
          answer(question),
          answer(question, { by: otherThan(approverOf(approval)), decision: "refuse" }),
        ]);
        return;
      case "self":
        if ((await answer(question, { by: approval.requestedBy })) === "refused")
          notes.happen("whoever requested it was refused");
        return;
      case "machine":
        if ((await answer(question, { by: "model", isPerson: false })) === "refused")
          notes.happen("a machine was refused");
        return;
      case "afterFacts":
        await world.post(caseN, { n: 5000 + answers, amount: 4 });
        await answer(question);
        return;
      case "afterEdit":
        world.record.edit(approval.caseId, answers + 1);
        if ((await answer(question)) === "void")
          notes.happen("an answer found the facts of record changed");
        return;
      case "recordDown":
        world.record.downUntilMs = nowMs() + 5000;
        await answer(question);
        return;
      case "lastMoment":
        if ((await answer(question)) === "answered")
          world.heldWrite.until(approval.expiresAtMs + runOutMs);
        return;
      case "tooLate":
      case undefined:
        await answer(question);
    }
  }

  async function latest(caseN: number, { id }: Approval): Promise<Approval | undefined> {
    const { snapshot } = await world.cases.read(caseKeyOf(caseN));
    const isCurrent = (one: Approval) => snapshot.case?.plan?.decidedOn === one.version;
    return snapshot.approvals.find((one) => one.id === id && isCurrent(one));
  }

  function come(question: Question, atMs: number): void {
    clock.at(atMs, () => void comeNow(question));
  }

  async function comeNow(question: Question): Promise<void> {
    const { approval, caseN, fault } = question;
    const now = await latest(caseN, approval);
    if (now === undefined || now.answer !== undefined) return;
    if (approval.expiresAtMs <= nowMs()) notes.happen("a question ran out");
    if (approval.expiresAtMs <= nowMs() && fault !== "tooLate") return;
    await carryOut(question);
    come({ ...question, fault: undefined }, nowMs() + Math.max(againMs, options.afterMs));
  }

  world.setAsked((approval) => {
    questions += 1;
    const fault = options.answerFault(questions);
    const { caseId, expiresAtMs } = approval;
    const caseN = world.options.businesses.findIndex((_one, n) => caseKeyOf(n).caseId === caseId);
    const question = { caseN, approval, fault };
    if (fault === "tooLate") come(question, expiresAtMs + 1500);
    else if (fault === "lastMoment") come(question, expiresAtMs - 100 - ((questions * 397) % 1000));
    else come(question, nowMs() + options.afterMs);
  });
}

function approverOf({ requestedBy }: Approval): string {
  return requestedBy === approvers[0] ? approvers[1] : approvers[0];
}

function otherThan(id: string): string {
  return id === approvers[0] ? approvers[1] : approvers[0];
}
