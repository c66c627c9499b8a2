// Runs one schedule to its end and hands the world to the auditor.
//
// First the faults; then they stop, what was revoked is granted again, every worker has the new code, and time passes
// until nothing is due. What is still open then is open for good.
import { judge, type Judgement } from "../audit/auditor.ts";
import { outcomesOf } from "../audit/oracle.ts";
import type { Testimony } from "../audit/testimony.ts";
import { faultsForMs } from "./fault-makers.ts";
import type { Fault } from "./faults.ts";
import { faultyStore } from "./faulty-store.ts";
import { fleetOf, type Fleet } from "./fleet.ts";
import type { Happening } from "./happenings.ts";
import { operatorsOf, type Operators } from "./operators.ts";
import { peopleOf } from "./people.ts";
import { nothingCounted, type Run, type Struck } from "./run.ts";
import type { Schedule } from "./schedule.ts";
import { strikeAtTime, type Strike } from "./strike.ts";
import { visited } from "./visits.ts";
import { caseKeyOf, expectTransient, newWorld, startMs, type World } from "./world.ts";

export interface ScheduleResult extends Judgement {
  /** Places in the schedule's list of the faults that struck. */
  fired: number[];
  visits: number;
  outcomes: string[];
  happened: Partial<Record<Happening, number>>;
}

const settleForMs = 4 * 3_600_000;
/** Longer than a payload lives on after its end. */
const monthMs = 31 * 24 * 3_600_000;
const sweepEveryMs = 60_000;
/** A hundred times what a schedule takes: whatever needs more goes round in a circle. */
const visitsMax = 20_000;
const feedEveryMs = 5000;

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
    counts: { ...nothingCounted },
    latencyMs() {
      run.counts.latency += 1;
      const { n, seed } = schedule;
      const mixed = Math.imul(run.counts.latency ^ (seed << 7) ^ (n << 15), 0x9e3779b1) >>> 0;
      return mixed % 97 === 0 ? 1500 : 1 + (mixed % 37);
    },
    fleet: () => fleet,
    operators: () => operators,
    world: () => world,
  };
  const world: World = worldOf(run);
  const fleet: Fleet = fleetOf(world, {
    slots: schedule.slots,
    lagOf: (n) => struck("staleReads", ({ turn }) => turn === n)[0]?.lagVersions ?? 0,
    lockLostAfterMs: (n) => struck("lockLost", ({ turn }) => turn === n)[0]?.afterMs,
  });
  const operators = operatorsOf(world);
  world.setPump(fleet.pump);
  world.reached.tell = async (entry, stage) =>
    void (await operators.reports.report(entry, { n: 9000, stage }));
  peopleOf(world, {
    afterMs: schedule.answerAfterMs,
    answerFault: (n) => struck("answer", ({ question }) => question === n)[0]?.fault,
  });
  const storeDown = faultyStore(run);
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
      isQuietNow = isOver && fleet.isIdle() && (await isQuiet(world, operators));
    },
  });
  for (const [n] of schedule.businesses.entries()) await world.post(n, { n: 1000 + n, amount: 1 });
  fleet.pump();
  const goesRound = () => run.counts.visit > visitsMax;
  await world.clock.run(startMs + faultsForMs, goesRound);
  isOver = true;
  void settle(world, fleet, operators);
  await world.clock.run(world.nowMs() + settleForMs, () => isQuietNow || goesRound());
  if (goesRound()) world.notes.defects.push(`it goes round: ${run.counts.visit} boundaries`);
  const atEnd = await world.testimony(true);
  const testimony = isQuietNow ? { ...atEnd, ...(await afterAMonth(world, fleet)) } : atEnd;
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
    moves: schedule.moves,
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
      callFault({ provider }) {
        counts.call += 1;
        const down = run.world().downOf(provider);
        if (down !== undefined) return down === "silent" ? "lost" : "notConnected";
        const [outage] = struck("outageAtCall", ({ call }) => call === counts.call);
        if (outage !== undefined) {
          run.fleet().stopUntil(run.world().nowMs() + outage.forMs);
          return "answerLost";
        }
        return struck("call", ({ call }) => call === counts.call)[0]?.fault;
      },
      deliveryFault() {
        counts.delivery += 1;
        return struck("delivery", ({ delivery }) => delivery === counts.delivery)[0]?.fault;
      },
      lookupFails(provider) {
        counts.lookup += 1;
        const isStruck = struck("lookupFails", ({ lookup }) => lookup === counts.lookup).length > 0;
        return isStruck || run.world().downOf(provider) !== undefined;
      },
      lagMs: (settleMs) => (schedule.n * 7919) % settleMs,
    },
  });
}

async function isQuiet(world: World, { reports }: Operators): Promise<boolean> {
  if (world.reached.isTelling()) return false;
  return (await world.isQuiet()) && !(await reports.isWaiting());
}

/** The sweeper and the reader of the feed go round until the world is quiet. */
function everyNow(
  world: World,
  { book, reports }: Operators,
  until: { isOver(): boolean; swept(): Promise<void> },
): void {
  const { rescue } = world;
  let position = 0;
  const sweep = () => {
    if (until.isOver()) return;
    void sweepOnce();
  };
  const sweepOnce = async () => {
    if (world.nowMs() >= rescue.sweeperDown) {
      await world.sweep();
      await reports.retry();
    }
    await until.swept();
    world.clock.at(world.nowMs() + sweepEveryMs, sweep);
  };
  const feed = () => {
    if (until.isOver()) return;
    void feedOnce();
  };
  const feedOnce = async () => {
    if (world.nowMs() >= rescue.feedDown)
      position = await world.feed(book, rescue.feedAgain ? 0 : position);
    rescue.feedAgain = false;
    world.clock.at(world.nowMs() + feedEveryMs, feed);
  };
  world.clock.at(startMs + 30_000, sweep);
  world.clock.at(startMs + feedEveryMs, feed);
}

/** What is left of what is kept apart; nobody works meanwhile. */
async function afterAMonth({ cases, clock, nowMs, options }: World, fleet: Fleet) {
  fleet.stopUntil(nowMs() + 2 * monthMs);
  await clock.run(nowMs() + monthMs);
  const documents = options.businesses.flatMap((_business, n) => cases.stored(caseKeyOf(n)));
  const payloads = documents.filter(({ type }) => type === "payload");
  return { lastingPayloads: new Set(payloads.map(({ id }) => id)) };
}

async function settle(world: World, fleet: Fleet, operators: Operators): Promise<void> {
  world.control.draining = false;
  world.landLate();
  world.keyring.find();
  fleet.deploy(2, "all");
  fleet.restart("all");
  await operators.grantAll();
  for (const [n] of world.options.businesses.entries()) {
    const key = caseKeyOf(n);
    const hint = { ...key, hintId: `granted ${key.caseId}`, reason: "granted" };
    await world.hints.send("cases", hint).catch(expectTransient);
  }
}
