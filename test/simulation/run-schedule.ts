// Runs one schedule to its end and hands the world to the auditor.
//
// First the faults; then they stop, what was revoked is granted again, every worker has the new code, and time passes
// until nothing is due. What is still open then is open for good.
import { TransientFault } from "../../shared/domain/faults.ts";
import { judge, type Judgement } from "../audit/auditor.ts";
import { outcomesOf } from "../audit/oracle.ts";
import type { Testimony } from "../audit/testimony.ts";
import type { StoreCall, Twist } from "../memory/memory-cases.ts";
import { fleetOf, type Fleet } from "./fleet.ts";
import type { Happening } from "./happenings.ts";
import { operatorsOf, type Operators } from "./operators.ts";
import { peopleOf } from "./people.ts";
import { faultsForMs, type Fault, type Schedule } from "./schedule.ts";
import { strikeAtTime, type Strike } from "./strike.ts";
import { caseKeyOf, expectTransient, newWorld, startMs, type Visit, type World } from "./world.ts";

export interface ScheduleResult extends Judgement {
  /** Places in the schedule's list of the faults that struck. */
  fired: number[];
  visits: number;
  outcomes: string[];
  happened: Partial<Record<Happening, number>>;
}

const settleForMs = 4 * 3_600_000;
const sweepEveryMs = 60_000;
const feedEveryMs = 5000;

/** Which of a schedule's faults wait for what is happening now. */
type Struck = <Kind extends Fault["kind"]>(
  kind: Kind,
  isNow: (fault: Fault & { kind: Kind }) => boolean,
) => (Fault & { kind: Kind })[];

/** What has been counted so far: faults strike by number. */
type Counts = Record<
  "visit" | "write" | "call" | "lookup" | "hint" | "send" | "latency" | "checkpoint" | "ask",
  number
>;

interface Run {
  schedule: Schedule;
  struck: Struck;
  counts: Counts;
  latencyMs(): number;
  fleet(): Fleet;
  world(): World;
}

export async function runSchedule(
  schedule: Schedule,
  show: (testimony: Testimony) => void = () => {},
): Promise<ScheduleResult> {
  const fired = new Set<number>();
  let isOver = false;
  const struck: Struck = (kind, isNow) => {
    if (isOver) return [];
    return schedule.faults.flatMap((fault, place) => {
      const theFault = fault as Fault & { kind: typeof kind };
      if (fault.kind !== kind || !isNow(theFault)) return [];
      fired.add(place);
      return [theFault];
    });
  };
  const run: Run = {
    schedule,
    struck,
    counts: {
      visit: 0,
      write: 0,
      call: 0,
      lookup: 0,
      hint: 0,
      send: 0,
      latency: 0,
      checkpoint: 0,
      ask: 0,
    },
    latencyMs() {
      run.counts.latency += 1;
      const { n, seed } = schedule;
      const mixed = Math.imul(run.counts.latency ^ (seed << 7) ^ (n << 15), 0x9e3779b1) >>> 0;
      return mixed % 97 === 0 ? 1500 : 1 + (mixed % 37);
    },
    fleet: () => fleet,
    world: () => world,
  };
  const world: World = worldOf(run);
  const fleet: Fleet = fleetOf(world, {
    slots: schedule.slots,
    lagOf: (n) => struck("staleReads", ({ turn }) => turn === n)[0]?.lagVersions ?? 0,
  });
  const operators = operatorsOf(world);
  world.setPump(fleet.pump);
  world.reached.reportsFirst = async (entry) => void (await operators.reportOf(entry, 9000));
  peopleOf(world, {
    afterMs: schedule.answerAfterMs,
    answerFault: (n) => struck("answer", ({ question }) => question === n)[0]?.fault,
  });
  const storeDown = faultyStore(run, operators);
  for (const [place, fault] of schedule.faults.entries()) {
    if (!("atMs" in fault)) continue;
    world.clock.at(startMs + fault.atMs, () => {
      if (isOver) return;
      void strike({ fault, fleet, operators, storeDown, place });
    });
  }
  async function strike(one: Strike): Promise<void> {
    if (await strikeAtTime(world, one)) fired.add(one.place);
  }
  let isQuietNow = false;
  everyNow(world, operators, {
    isOver: () => isQuietNow,
    async swept() {
      isQuietNow = isOver && fleet.isIdle() && (await world.isQuiet());
    },
  });
  for (const [n] of schedule.businesses.entries()) await world.post(n, { n: 1000 + n, amount: 1 });
  fleet.pump();
  await world.clock.run(startMs + faultsForMs);
  isOver = true;
  void settle(world, fleet, operators);
  await world.clock.run(world.nowMs() + settleForMs, () => isQuietNow);
  const testimony = await world.testimony(true);
  show(testimony);
  return {
    ...judge(testimony),
    fired: [...fired].sort((a, b) => a - b),
    visits: run.counts.visit,
    outcomes: outcomesOf(testimony).map(({ name }) => name),
    happened: world.notes.happened,
  };
}

function worldOf(run: Run): World {
  const { counts, latencyMs, schedule, struck } = run;
  return newWorld({
    businesses: schedule.businesses,
    turnBudgetMs: schedule.turnBudgetMs,
    fused: schedule.fused,
    paced: true,
    latencyMs,
    visit: (visit, act) => visited(run, visit, act),
    hintFault() {
      counts.hint += 1;
      return struck("hint", ({ hint }) => hint === counts.hint)[0]?.fault;
    },
    modelFails() {
      counts.ask += 1;
      return struck("modelFails", ({ ask }) => ask === counts.ask).length > 0;
    },
    systems: {
      callFault() {
        counts.call += 1;
        const [outage] = struck("outageAtCall", ({ call }) => call === counts.call);
        if (outage !== undefined) {
          run.fleet().stopUntil(run.world().nowMs() + outage.forMs);
          return "answerLost";
        }
        return struck("call", ({ call }) => call === counts.call)[0]?.fault;
      },
      lookupFails() {
        counts.lookup += 1;
        return struck("lookupFails", ({ lookup }) => lookup === counts.lookup).length > 0;
      },
      lagMs: (settleMs) => (schedule.n * 7919) % settleMs,
    },
  });
}

/** One visit of one boundary: held, killed before or after, or let through. */
async function visited<Result>(
  run: Run,
  { boundary, worker }: Visit,
  act: () => Promise<Result>,
): Promise<Result> {
  if (worker.dead) return never();
  const { counts, latencyMs, struck } = run;
  const { clock, notes, nowMs } = run.world();
  counts.visit += 1;
  const mine = counts.visit;
  await clock.sleep(latencyMs());
  if (await strikes("before", mine)) return never();
  const result = await act();
  await clock.sleep(latencyMs());
  if (await strikes("after", mine)) return never();
  return result;

  async function strikes(when: "before" | "after", n: number): Promise<boolean> {
    if (worker.dead) return true;
    const isAtSocket = boundary === "send" && when === "before";
    const stallsMs = struck("stall", (fault) => fault.visit === n && fault.when === when).map(
      ({ ms }) => ms,
    );
    if (isAtSocket) {
      counts.send += 1;
      stallsMs.push(
        ...struck("freezeAtSend", ({ send }) => send === counts.send).map(({ ms }) => ms),
      );
    }
    for (const ms of stallsMs) {
      run.fleet().freeze(worker, ms);
      const fromMs = nowMs();
      await clock.sleep(ms);
      if (isAtSocket) notes.freezes.push({ worker: worker.id, fromMs, toMs: nowMs() });
    }
    if (struck("kill", (fault) => fault.visit === n && fault.when === when).length > 0)
      run.fleet().kill(worker);
    return worker.dead;
  }
}

function never(): Promise<never> {
  return new Promise(() => {});
}

/** Returns how to take the store down. */
function faultyStore(run: Run, operators: Operators): (untilMs: number) => void {
  const { counts, struck } = run;
  const world = run.world();
  let downUntilMs = 0;
  function before({ operation }: StoreCall): Twist | undefined {
    if (operation === "readCheckpoint" || operation === "createCheckpoint") {
      counts.checkpoint += 1;
      const [lost] = struck("checkpoint", ({ access }) => access === counts.checkpoint);
      if (lost !== undefined && operation === "readCheckpoint")
        throw new TransientFault("the checkpoint could not be read");
      return lost === undefined ? undefined : "lost";
    }
    if (operation !== "write" && operation !== "createFinding") return undefined;
    if (world.nowMs() < downUntilMs) return "lost";
    counts.write += 1;
    for (const { forMs } of struck("revokeAtWrite", ({ write }) => write === counts.write)) {
      for (const action of world.actions) void operators.revoke(action, forMs);
    }
    const [twisted] = struck("write", ({ write }) => write === counts.write);
    if (twisted?.twist === "late") {
      world.clock.at(world.nowMs() + twisted.landAfterMs, () => world.landLate());
    }
    return twisted?.twist;
  }
  world.cases.hooks = { ...world.cases.hooks, before };
  return (untilMs) => void (downUntilMs = untilMs);
}

/** The sweeper and the reader of the feed go round until the world is quiet. */
function everyNow(
  world: World,
  { book }: Operators,
  until: { isOver(): boolean; swept(): Promise<void> },
): void {
  let position = 0;
  const sweep = () => {
    if (until.isOver()) return;
    void sweepOnce();
  };
  const sweepOnce = async () => {
    await world.sweep();
    await until.swept();
    world.clock.at(world.nowMs() + sweepEveryMs, sweep);
  };
  const feed = () => {
    if (until.isOver()) return;
    void feedOnce();
  };
  const feedOnce = async () => {
    position = await world.feed(book, position);
    world.clock.at(world.nowMs() + feedEveryMs, feed);
  };
  world.clock.at(startMs + 30_000, sweep);
  world.clock.at(startMs + feedEveryMs, feed);
}

async function settle(world: World, fleet: Fleet, operators: Operators): Promise<void> {
  world.control.draining = false;
  world.landLate();
  fleet.deploy(2, "all");
  await operators.grantAll();
  for (const [n] of world.options.businesses.entries()) {
    const key = caseKeyOf(n);
    const hint = { ...key, hintId: `granted ${key.caseId}`, reason: "granted" };
    await world.hints.send("cases", hint).catch(expectTransient);
  }
}
