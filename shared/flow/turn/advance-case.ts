// One turn of one case: read, let `next` name a step, carry it out, write, ask again (design.md 1).
//
// Any worker may run it at any time, any number of times. Pure steps only change the draft; steps that need the outside world
// (a decision, a look-up, a claim and its call) are carried out here. Fused, the draft is written before a call and when
// nothing is left to do; unfused, after every step. Both give the same record.
import { applied } from "../../domain/transitions/apply-step.ts";
import { applyDecision } from "../../domain/transitions/decide.ts";
import { deciderFailed } from "../../domain/transitions/decider-failed.ts";
import { countCrash } from "../../domain/transitions/count-crash.ts";
import { commitPlan } from "../../domain/transitions/plan.ts";
import { isOverdue } from "../../domain/due.ts";
import { whyLeft } from "../../domain/decisions/leave.ts";
import { next } from "../../domain/decisions/next.ts";
import { isWork, type Step } from "../../domain/decisions/step.ts";
import type { CaseKey } from "../../domain/identity.ts";
import { TransientFault } from "../../domain/faults.ts";
import { caseOf, withCase } from "../../domain/records/snapshot.ts";
import { claimAndSend } from "./claim-and-send.ts";
import { decideOnce } from "../deciding/decide-once.ts";
import { keepEvidence } from "./keep-evidence.ts";
import { leaveAlone } from "./leave-alone.ts";
import { lookUp } from "./look-up.ts";
import { type Intents, lostIntents, noteDivergence } from "./repeated-decision.ts";
import {
  handOn,
  nowMsOf,
  openTurn,
  portsOf,
  requireNowMs,
  setStoreTime,
  type Turn,
  type TurnPorts,
  type TurnResult,
} from "./turn.ts";
import { isNearlyFull } from "./batch-of.ts";
import { scheduleDueHint, cancelDueHint } from "./due-hint.ts";
import { flush, flushAlive, writeAndReadAgain } from "./write-draft.ts";

const restartsMax = 8;

export async function advanceCase(
  ports: TurnPorts,
  key: CaseKey,
  options: { redelivered?: boolean } = {},
): Promise<TurnResult> {
  let isCounted = false;
  let counted: Turn | undefined;
  let lost: Intents | undefined;
  for (let restart = 0; restart < restartsMax; restart += 1) {
    const turn = await openTurn(ports, key);
    noteDivergence(ports, turn, lost);
    if (!isCounted && (options.redelivered === true || isLate(ports, turn))) {
      isCounted = true;
      counted = turn;
      if (await recordCrash(ports, turn)) continue;
    }
    const result = await runTurn(portsOf(ports, turn), turn, counted);
    if (result !== "again") return result;
    lost = lostIntents(turn);
  }
  await handOn(ports, key);
  return { kind: "handedOn" };
}

function isLate(ports: TurnPorts, turn: Turn): boolean {
  const nowMs = nowMsOf(ports, turn);
  return nowMs !== undefined && isOverdue(turn.draft, nowMs);
}

/**
 * Counts the delivery before the work that may kill this worker, too. False when the case is left to newer code, where not even
 * a count is written. If the write is overtaken or superseded, some worker is alive, and no count is needed.
 */
async function recordCrash(ports: TurnPorts, turn: Turn): Promise<boolean> {
  const { book } = ports;
  const nowMs = requireNowMs(ports, turn);
  if (whyLeft(turn.draft, book, nowMs) !== undefined) return false;
  turn.draft = countCrash(turn.draft, { book, nowMs });
  await flush(ports, turn, { keepCrashes: true });
  return true;
}

async function runTurn(
  ports: TurnPorts,
  turn: Turn,
  counted: Turn | undefined,
): Promise<TurnResult | "again"> {
  try {
    const result = await drive(ports, turn);
    await keepEvidence(ports, turn);
    return result;
  } catch (error) {
    // Whatever broke, the provider's answer must not be lost.
    await keepEvidence(ports, turn);
    if (error instanceof TransientFault) await takeBackCrash(ports, turn, counted);
    throw error;
  }
}

/**
 * An outage kills no worker: counted when this turn began, it would park every case that it lasts long enough for. The hint of that
 * count goes, too: whoever brought this turn comes again anyway, and each look would otherwise make two.
 */
async function takeBackCrash(ports: TurnPorts, turn: Turn, counted?: Turn): Promise<void> {
  if (turn.base.case?.crashes === undefined) return;
  // What newer code counted is its own.
  if (whyLeft(turn.base, ports.book, nowMsOf(ports, turn)) !== undefined) return;
  const { hinted } = counted ?? turn;
  turn.draft = withCase(turn.base, { crashes: undefined });
  try {
    await flush(ports, turn, { hintsNothing: true });
    if (hinted !== undefined) await ports.at("cancelHint", () => hinted.scheduled.cancel());
  } catch (error) {
    // The store is out as well; what broke first is told.
    if (!(error instanceof TransientFault)) throw error;
  }
}

async function drive(ports: TurnPorts, turn: Turn): Promise<TurnResult | "again"> {
  for (;;) {
    const nowMs = nowMsOf(ports, turn);
    const { withheld, paced, draining } = turn;
    const step = next(turn.draft, ports.book, { nowMs, withheld, paced, draining });
    const begins = step.kind === "claim" || step.kind === "decide";
    if (begins && (await drainHasBegun(ports, turn))) continue;
    const after = await traced(ports, turn, step);
    if (after !== "goOn") return after;
    const mustWrite = !ports.fused || isNearlyFull(turn);
    if (mustWrite && (await flush(ports, turn)) !== "written") return "again";
  }
}

/** A turn may make many calls: a drain that begins meanwhile stops its next decision or claim. */
async function drainHasBegun(ports: TurnPorts, turn: Turn): Promise<boolean> {
  if (turn.isFresh) return turn.draining;
  const { draining } = await ports.at("drainFlag", () => ports.control.read());
  turn.draining = draining;
  return draining;
}

/** Each step that does something is a span of its own; the one that ends the turn is not. */
function traced(ports: TurnPorts, turn: Turn, step: Step): ReturnType<typeof carryOut> {
  if (!isWork(step)) return carryOut(ports, turn, step);
  const operationId = "operationId" in step ? step.operationId : undefined;
  const fields = { version: turn.draft.case?.version, operationId };
  return ports.telemetry.span(step.kind, { fields }, () => carryOut(ports, turn, step));
}

async function carryOut(
  ports: TurnPorts,
  turn: Turn,
  step: Step,
): Promise<TurnResult | "again" | "goOn"> {
  switch (step.kind) {
    case "leave":
      return leaveAlone(ports, turn, step.why);
    case "nothing":
      return { kind: "idle" };
    case "idle":
      return end(ports, turn, { kind: "idle" });
    case "draining":
      return end(ports, turn, { kind: "draining" });
    case "wait":
      return end(ports, turn, { kind: "waiting", untilMs: step.untilMs });
    case "decide":
      return decide(ports, turn);
    case "commit":
      if (await hasMoved(ports, turn)) return writeAndReadAgain(ports, turn);
      turn.draft = commitPlan(turn.draft, { book: ports.book });
      return "goOn";
    case "lookUp":
      return lookUp(ports, turn, step.operationId);
    case "claim":
      return claimAndSend(ports, turn, step.operationId);
    case "foldFindings":
    case "foldEvent":
    case "foldErased":
    case "markUnknown":
    case "endPlan":
    case "askApprovals":
    case "openReview":
    case "holdCase":
    case "awaitCode":
    case "liftHold":
    case "liftReview":
    case "bringForward":
      turn.draft = applied(turn.draft, step, {
        book: ports.book,
        nowMs: requireNowMs(ports, turn),
      });
      return "goOn";
  }
}

/** Nothing more can be done now: write what there is. */
async function end(
  ports: TurnPorts,
  turn: Turn,
  result: TurnResult,
): Promise<TurnResult | "again"> {
  const { base } = turn;
  if ((await flushAlive(ports, turn)) !== "written") return "again";
  // Somebody else's call is in flight, and perhaps only a hint of an earlier deadline is on its way (due-hint.ts).
  if (turn.base === base && base.case?.claim !== undefined) {
    await scheduleDueHint(ports, turn);
  }
  await cancelDueHint(ports, turn);
  return result;
}

/**
 * Asked before a decide or a commit: has anything arrived, or anybody written, since the snapshot? If nothing was awaited since
 * the snapshot was read, it is that look itself.
 */
async function hasMoved(ports: TurnPorts, turn: Turn): Promise<boolean> {
  if (turn.isFresh) return false;
  const head = await ports.at("look", () => ports.cases.head(turn.key));
  setStoreTime(ports, turn, head.storeMs);
  if (head.caseEtag !== turn.caseEtag) return true;
  const known = new Set([...turn.draft.events, ...turn.draft.findings].map(({ id }) => id));
  return head.unfolded.some((id) => !known.has(id));
}

async function decide(ports: TurnPorts, turn: Turn): Promise<"goOn" | "again"> {
  // A decider may take its time: a provider's answer does not wait for it in a worker's memory alone.
  if (turn.evidence !== undefined && (await flush(ports, turn)) !== "written") return "again";
  if (await hasMoved(ports, turn)) return writeAndReadAgain(ports, turn);
  const record = caseOf(turn.draft);
  const workflow = ports.book.workflow(record.workflow.type);
  if (workflow === undefined) throw new Error(`no workflow ${record.workflow.type}`);
  const decided = await decideOnce(ports, turn, workflow);
  const nowMs = requireNowMs(ports, turn);
  turn.draft =
    decided.kind === "decided"
      ? applyDecision(turn.draft, decided.decision, { book: ports.book, nowMs })
      : deciderFailed(turn.draft, decided.failure, nowMs);
  return "goOn";
}
