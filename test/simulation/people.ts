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
import { refreshSource } from "../../shared/domain/event-type.ts";
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

/** They may also change a case's facts, and then answer nothing in it; the last one never does. */
export const approvers = ["p-1", "p-2"] as const;
const people = [...approvers, "p-3", "p-4"];
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
    const { by = (await freeIn(caseN))[0] ?? "", decision = "approve", isPerson = true } = change;
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
          answer(question, { by: (await freeIn(caseN))[1] ?? "", decision: "refuse" }),
        ]);
        return;
      case "self":
        if ((await answer(question, { by: await askerOf(question) })) === "refused")
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

  /** Who has set the case going, the first one first. */
  async function askersIn(caseN: number): Promise<string[]> {
    const history = await world.cases.history(caseKeyOf(caseN));
    return (history?.snapshot.events ?? []).flatMap(({ requestedBy, source }) =>
      requestedBy === undefined || source === refreshSource ? [] : [requestedBy],
    );
  }

  /** One who asked before somebody else did, where there is one. */
  async function askerOf({ approval: { requestedBy }, caseN }: Question): Promise<string> {
    return (await askersIn(caseN)).find((asker) => asker !== requestedBy) ?? requestedBy;
  }

  async function freeIn(caseN: number): Promise<string[]> {
    const askers = await askersIn(caseN);
    return people.filter((id) => !askers.includes(id));
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
