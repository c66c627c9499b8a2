// One combination with real workers: a case, one fault at one visit of one boundary, one machine or two; then the case
// comes to rest and the auditor judges, from the stand-in's journal and the store.
//
//   killed        SIGKILL; the worker is gone before it passes the boundary
//   frozen        SIGSTOP there until its call's deadline is over, then SIGCONT
//   frozenLong    the same until the provider's horizon is over, too
//   frozenDenied  the same, and a person, shown the unknown meanwhile, states that it did not happen; if nobody was
//                 shown it in time (a busy machine), the fault has not fired, and the trial is made again
//   silent        nothing happens to the worker: the answer to its call comes after its time-out
import { randomInt } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { TransientFault } from "../../../shared/domain/faults.ts";
import { findingIdOf, type CaseKey } from "../../../shared/domain/identity.ts";
import { schemaVersion, type Finding } from "../../../shared/domain/records/evidence.ts";
import type { Event } from "../../../shared/domain/records/inbox.ts";
import { sweepDue } from "../../../shared/flow/wake/sweep-due.ts";
import { audit } from "../../audit/auditor.ts";
import type { Testimony, Violation } from "../../audit/testimony.ts";
import { workflowType } from "./app/workflow.ts";
import type { Notes, Strike } from "./conductor.ts";
import { cameTrue, tenantId, type Lane } from "./lane.ts";
import { callTimeoutMs, horizonMs } from "./subject.ts";
import { testimonyOf } from "./testimony-of.ts";
import { silentTelemetry } from "../../../shared/telemetry/telemetry.ts";

export const strikeKinds = ["killed", "frozen", "frozenLong", "frozenDenied", "silent"] as const;
export type StrikeKind = (typeof strikeKinds)[number];
export const trialSituations = [
  "calm",
  "answerLost",
  "callLost",
  "writeUnanswered",
  "overtaken",
  "shortBudget",
] as const;
export type TrialSituation = (typeof trialSituations)[number];

export interface Combination {
  action: string;
  situation: TrialSituation;
  boundary: string;
  visit: number;
  fault: StrikeKind;
  machines: 1 | 2;
}

export type Setting = Pick<Combination, "action" | "situation"> & Partial<Combination>;

export interface Ran {
  visited: readonly string[];
  fired: boolean;
  violations: Violation[];
}

/** The deadline counts from the store's whole seconds; past it by as much as a slow machine may need. */
const pastDeadlineMs = callTimeoutMs + 3000;
const pastHorizonMs = pastDeadlineMs + horizonMs + 2500;
const heldMs = {
  frozen: pastDeadlineMs,
  frozenLong: pastHorizonMs,
  frozenDenied: pastHorizonMs,
  silent: callTimeoutMs + 500,
};
/** Most take a few seconds; a machine that does much else takes longer, but something of the case moves all the time. */
const stuckAfterMs = 120_000;
const settlesWithinMs = 600_000;

export async function runTrial(
  lane: Lane,
  setting: Setting,
  show?: (testimony: Testimony) => void,
): Promise<Ran> {
  if (!(await cameTrue(() => lane.isReady(), 60_000))) throw new Error("no worker came up");
  const tag = crypto.randomUUID().slice(0, 8);
  const key = newKey();
  const appliedBefore = (await lane.applied()).length;
  lane.arrivals.length = 0;
  const freezes: Testimony["freezes"][number][] = [];
  const statements: Testimony["statements"][number][] = [];
  let fired = false;
  const strike: Strike = async (pid) => {
    const { fault = "silent" } = setting;
    // From now on: a case may have come to rest before the silence is over.
    fired = fault !== "frozenDenied";
    const after = await struck(lane, pid, { key, fault, notes, freezes, statements });
    fired ||= statements.length > 0;
    return after;
  };
  const { boundary, fault, situation, visit } = setting;
  const notes = lane.conductor.begin({
    caseId: key.caseId,
    terms: { turnBudgetMs: situation === "shortBudget" ? callTimeoutMs * 1.5 + 150 : 60_000 },
    strikeAt(at, n) {
      if (fault !== undefined && at === boundary && n === visit) return strike;
      if (situation === "shortBudget") return () => paused(40);
      if (situation === "overtaken" && at === "write" && n === 2)
        return () => untilOvertaken(lane, key);
      return undefined;
    },
  });
  lane.callWire.setFault(
    situation === "answerLost" || situation === "callLost" ? situation : undefined,
  );
  lane.cosmosWire.loseAnswers(situation === "writeUnanswered" ? 3 : 0);
  await post(lane, key, { action: setting.action, caseId: key.caseId, tag });
  const isAtRest = await settled(lane, key, notes);
  const applied = (await lane.applied()).slice(appliedBefore);
  const testimony = await testimonyOf(lane, key, { notes, freezes, statements, applied });
  show?.(testimony);
  const unrest = {
    rule: "comesToRest",
    evidence: `nothing moved for ${stuckAfterMs} ms, or something for ${settlesWithinMs} ms`,
  };
  const violations = [...audit(testimony), ...(isAtRest ? [] : [unrest])];
  return { visited: notes.visited, fired, violations };
}

function newKey(): CaseKey {
  const alphabet = "abcdefghijklmnopqrstuvwxyz234567";
  const letters = Array.from({ length: 26 }, () => alphabet[randomInt(32)]);
  return { tenantId, caseId: letters.join("") };
}

interface Struck {
  key: CaseKey;
  statements: Testimony["statements"][number][];
  fault: StrikeKind;
  notes: Notes;
  freezes: { worker: string; fromMs: number; toMs: number }[];
}

async function struck(
  lane: Lane,
  pid: number,
  { fault, freezes, key, notes, statements }: Struck,
): Promise<"goOn" | "gone"> {
  switch (fault) {
    case "killed":
      notes.lostWorkers.add(String(pid));
      process.kill(pid, "SIGKILL");
      return "gone";
    case "silent":
      return paused(heldMs.silent);
    case "frozen":
    case "frozenLong":
    case "frozenDenied": {
      const machine = lane.machineOf(pid);
      const fromMs = Date.now();
      machine.freeze();
      await delay(heldMs[fault]);
      if (fault === "frozenDenied") statements.push(...(await denied(lane, key)));
      freezes.push({ worker: String(pid), fromMs, toMs: Date.now() });
      machine.thaw();
      return "goOn";
    }
  }
}

/** Two people look at the unknown and say no, forced; done when the ledger has taken their word. None: nobody was shown it. */
async function denied(lane: Lane, key: CaseKey): Promise<Testimony["statements"]> {
  const shown = async () =>
    (await lane.cases.read(key)).snapshot.effects.find(({ reviewRef }) => reviewRef !== undefined);
  await cameTrue(async () => (await shown()) !== undefined, 60_000);
  const effect = await shown();
  if (effect === undefined) return [];
  const { operationId } = effect;
  const finding: Finding = {
    id: findingIdOf(operationId, "denied"),
    type: "finding",
    schemaVersion,
    ...key,
    operationId,
    content: {
      kind: "statement",
      statement: { kind: "didNotHappen", forced: true },
      reason: "the provider shows nothing",
      confirmedBy: "second person",
    },
    by: "first person",
    foundAtMs: Date.now(),
    dueAtMs: Date.now(),
  };
  await lane.cases.createFinding(finding);
  await lane.hints.send("reviews", { ...key, hintId: crypto.randomUUID(), reason: "stated" });
  const isTaken = async () =>
    (await lane.cases.read(key)).snapshot.effects.some(({ status }) => status === "rejected");
  await cameTrue(isTaken, 60_000);
  return [{ finding, forced: true }];
}

async function paused(ms: number): Promise<"goOn"> {
  await delay(ms);
  return "goOn";
}

/** Held until another turn has written the case: it finds the call's deadline passed. */
async function untilOvertaken(lane: Lane, key: CaseKey): Promise<"goOn"> {
  const landed = () => lane.cosmosWire.landedOf(key.caseId).length;
  const before = landed();
  await delay(callTimeoutMs + 2500);
  await lane.hints.send("reviews", { ...key, hintId: crypto.randomUUID(), reason: "overtake" });
  await cameTrue(() => landed() > before, 10_000);
  return "goOn";
}

async function post(
  lane: Lane,
  key: CaseKey,
  body: { action: string; caseId: string; tag: string },
): Promise<void> {
  const nowMs = Date.now();
  const event: Event = {
    id: "event:src:e1",
    type: "event",
    schemaVersion: 1,
    ...key,
    source: "src",
    eventId: "e1",
    eventType: "told",
    workflow: workflowType,
    externalRef: body.tag,
    body,
    digest: "d".repeat(64),
    orderKey: new Date(nowMs).toISOString(),
    receivedAtMs: nowMs,
    dueAtMs: nowMs + 15_000,
  };
  if ((await lane.cases.createEvent(event)) !== "created") throw new Error("no event was created");
  await lane.hints.send("cases", { ...key, hintId: crypto.randomUUID(), reason: "event" });
}

/** Sweeps each second until nothing of the case is due and no worker has it in hand; false when that never comes. */
async function settled(lane: Lane, key: CaseKey, notes: Notes): Promise<boolean> {
  const { cases, control, hints } = lane;
  const log = { info: () => {}, warn: () => {}, error: () => {} };
  let sweptAtMs = 0;
  let moves = 0;
  let movedAtMs = performance.now();
  let isAtRest = false;
  await cameTrue(async () => {
    const nowMs = performance.now();
    if (notes.visited.length !== moves) movedAtMs = nowMs;
    moves = notes.visited.length;
    if (nowMs - sweptAtMs > 1000) {
      sweptAtMs = nowMs;
      const ports = { cases, control, hints, log, telemetry: silentTelemetry };
      await sweepDue(ports, { wallClockMs: Date.now() }).catch((error: unknown) => {
        if (!(error instanceof TransientFault)) throw error;
      });
    }
    await delay(150);
    isAtRest = !lane.conductor.isBusy() && (await isQuiet(lane, key));
    return isAtRest || nowMs - movedAtMs > stuckAfterMs;
  }, settlesWithinMs);
  return isAtRest;
}

async function isQuiet({ cases }: Lane, key: CaseKey): Promise<boolean> {
  const { snapshot } = await cases.read(key);
  const isFolded = snapshot.events.length + snapshot.findings.length === 0;
  return snapshot.case !== undefined && snapshot.case.dueAtMs === undefined && isFolded;
}
