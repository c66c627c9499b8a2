// One combination: a case under one contract, one fault at one visit of one boundary, one or two workers; then faults stop,
// time passes, and the auditor judges.
//
//   killedBefore, killedAfter   the process is gone before, or after, the act at the boundary
//   answerLost                  the act happened and the worker is told nothing
//   answerLate                  the act happened; the worker hears of it long after its call's deadline
//   appliedLate                 the worker is told nothing, or waits; the act happens later
//   lost                        the worker is told nothing; the act never happens
import { TransientFault } from "../../shared/domain/faults.ts";
import type { Contract } from "../../shared/domain/contract.ts";
import { audit } from "../audit/auditor.ts";
import type { Testimony, Violation } from "../audit/testimony.ts";
import { contracts, type ContractKind } from "../simulation/contracts.ts";
import { fleetOf } from "../simulation/fleet.ts";
import { caseKeyOf, newWorld, startMs, type Visit } from "../simulation/world.ts";

export const faultKinds = [
  "killedBefore",
  "killedAfter",
  "answerLost",
  "answerLate",
  "appliedLate",
  "lost",
] as const;
export type FaultKind = (typeof faultKinds)[number];
export type Situation = "calm" | "answerLost" | "writeUnanswered" | "overtaken" | "shortBudget";

export interface Combination {
  contract: ContractKind;
  situation: Situation;
  boundary: string;
  visit: number;
  fault: FaultKind;
  workers: 1 | 2;
}

export interface Run {
  /** Boundaries in the order in which the first worker of each turn visited them. */
  visited: string[];
  fired: boolean;
  /** The version of each question to the model. */
  asked: readonly number[];
  violations: Violation[];
}

type Setting = Pick<Combination, "contract" | "situation" | "workers"> & Partial<Combination>;

const settleForMs = 6 * 3_600_000;
const askedMax = 2;

export async function runOnce(
  setting: Setting,
  offered?: Contract,
  show?: (testimony: Testimony) => void,
): Promise<Run> {
  const { boundary, contract: kind, fault, situation } = setting;
  const contract = offered ?? contracts[kind];
  const visited: string[] = [];
  const visits = new Map<string, number>();
  let [fired, calls, sends] = [false, 0, 0];
  let nextCall: "answerLost" | "appliedLate" | "lost" | undefined;

  async function visit<Result>(at: Visit, act: () => Promise<Result>): Promise<Result> {
    if (at.worker.dead) return never();
    const n = (visits.get(at.boundary) ?? 0) + 1;
    visits.set(at.boundary, n);
    visited.push(at.boundary);
    await world.clock.sleep(situation === "shortBudget" ? 400 : 5);
    if (at.worker.dead) return never();
    const isHere = fault !== undefined && at.boundary === boundary && n === setting.visit;
    if (isHere) fired = true;
    if (isHere && setting.workers === 2) await callSecond();
    const result = isHere ? await struck(at, fault, act) : await act();
    if (situation === "overtaken" && at.boundary === "send" && (sends += 1) === 1)
      await overtake(at);
    if (at.worker.dead) return never();
    return result;
  }

  /** Another worker gets a turn of the same case now, through the other queue's session. */
  async function callSecond(): Promise<void> {
    await world.hints.send("reviews", {
      ...caseKeyOf(0),
      hintId: `second ${world.nowMs()}`,
      reason: "test",
    });
    fleet.pump();
  }

  /** Its own call is over and another worker has said so. */
  async function overtake({ worker }: Visit): Promise<void> {
    fleet.freeze(worker, contract.callTimeoutMs * 2);
    await world.clock.sleep(contract.callTimeoutMs * 1.5);
    await world.hints.send("reviews", { ...caseKeyOf(0), hintId: "overtakes", reason: "test" });
    fleet.pump();
    await world.clock.sleep(contract.callTimeoutMs / 2);
  }

  async function struck<Result>(
    at: Visit,
    kindOfFault: FaultKind,
    act: () => Promise<Result>,
  ): Promise<Result> {
    const late = () => world.clock.sleep(contract.callTimeoutMs * 2);
    switch (kindOfFault) {
      case "killedBefore":
        fleet.kill(at.worker);
        return never();
      case "killedAfter":
        await act();
        fleet.kill(at.worker);
        return never();
      case "answerLost":
        if (at.boundary === "send") {
          nextCall = "answerLost";
          return act();
        }
        await act();
        return silenceAt(at.boundary) as Result;
      case "answerLate": {
        const result = await act();
        fleet.freeze(at.worker, contract.callTimeoutMs * 2);
        await late();
        return result;
      }
      case "lost":
        if (at.boundary === "send") {
          nextCall = "lost";
          return act();
        }
        return silenceAt(at.boundary) as Result;
      case "appliedLate":
        if (at.boundary === "send") {
          nextCall = "appliedLate";
          return act();
        }
        if (!changesWorld(at.boundary)) {
          fleet.freeze(at.worker, contract.callTimeoutMs * 2);
          await late();
          return act();
        }
        // Within the provider's horizon; a batch of the store may be as late as that.
        world.clock.at(world.nowMs() + contract.horizonMs / 2, () => void act());
        return silenceAt(at.boundary) as Result;
    }
  }

  const world = newWorld({
    businesses: [{ plan: [kind, kind], notify: [kind], decider: "rest", asksModel: true }],
    turnBudgetMs: situation === "shortBudget" ? contract.callTimeoutMs * 1.5 + 3000 : 90_000,
    contracts: { [kind]: contract },
    latencyMs: () => 5,
    visit,
    hintFault: () => undefined,
    systems: {
      callFault() {
        calls += 1;
        const fault = nextCall;
        nextCall = undefined;
        if (fault !== undefined) return fault;
        return calls === 1 && situation === "answerLost" ? "answerLost" : undefined;
      },
      deliveryFault: () => undefined,
      lookupFails: () => false,
      lagMs: (settleMs) => settleMs / 2,
    },
  });
  const fleet = fleetOf(world, { slots: 2, lagOf: () => 0 });
  world.setPump(fleet.pump);
  if (situation === "writeUnanswered") loseFirstAnswer(world);

  await world.post(0, { n: 1, amount: 1 });
  fleet.pump();
  const isQuiet = sweeping(world, () => fleet.isIdle());
  await world.clock.run(startMs + settleForMs, isQuiet);
  const testimony = await world.testimony(true);
  show?.(testimony);
  const asked = world.notes.advices.map(({ version }) => version);
  return { visited, fired, asked, violations: [...audit(testimony), ...askedTooOften(asked)] };
}

function loseFirstAnswer(world: ReturnType<typeof newWorld>): void {
  let writes = 0;
  world.cases.hooks = {
    ...world.cases.hooks,
    before: ({ operation }) =>
      operation === "write" && (writes += 1) === 1 ? "unanswered" : undefined,
  };
}

/** One fault costs a version one more question at most, however the fault struck. */
function askedTooOften(asked: readonly number[]): Violation[] {
  return [...new Set(asked)].flatMap((version) => {
    const times = asked.filter((one) => one === version).length;
    const evidence = `the model was asked ${times} times about version ${version}`;
    return times <= askedMax ? [] : [{ rule: "modelAskedAgainAtMost", evidence }];
  });
}

/** Sweeps each minute; the answer tells whether a sweep has found that nothing is due and nobody at work. */
function sweeping(world: ReturnType<typeof newWorld>, isIdle: () => boolean): () => boolean {
  let isQuiet = false;
  const sweep = async () => {
    await world.sweep();
    isQuiet = isIdle() && (await world.isQuiet());
    if (!isQuiet) world.clock.at(world.nowMs() + 60_000, () => void sweep());
  };
  // A late write may still be under way: not before its time is anything over.
  world.clock.at(startMs + 180_000, () => void sweep());
  return () => isQuiet;
}

function changesWorld(boundary: string): boolean {
  return ["write", "createFinding", "createCheckpoint", "scheduleHint", "handOn"].includes(
    boundary,
  );
}

/** What a worker makes of no answer at this boundary. */
function silenceAt(boundary: string): unknown {
  const cause = new Error("no answer");
  switch (boundary) {
    case "write":
      return { kind: "uncertain", cause };
    case "createFinding":
    case "createCheckpoint":
      return "uncertain";
    case "send":
      return { kind: "noAnswer", reason: "reset" };
    case "lookUp":
      return { kind: "inconclusive", reason: "reset" };
    default:
      throw new TransientFault("no answer");
  }
}

function never(): Promise<never> {
  return new Promise(() => {});
}
