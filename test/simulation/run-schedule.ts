// Runs one schedule to its end and hands the world to the auditor.
//
// First the faults; then they stop, what was revoked is granted again, every worker has the new code, and time passes
// until nothing is due. What is still open then is open for good.
import { audit } from "../audit/auditor.ts";
import { outcomesOf } from "../audit/oracle.ts";
import type { Testimony, Violation } from "../audit/testimony.ts";
import { fleetOf, type Fleet } from "./fleet.ts";
import { operatorsOf } from "./operators.ts";
import { faultsForMs, type Fault, type Schedule } from "./schedule.ts";
import { caseKeyOf, newWorld, startMs, tenantId, type Visit, type World } from "./world.ts";

export interface ScheduleResult {
  violations: Violation[];
  /** Places in the schedule's list of the faults that struck. */
  fired: number[];
  visits: number;
  outcomes: string[];
}

const settleForMs = 4 * 3_600_000;
const sweepEveryMs = 60_000;
const feedEveryMs = 5000;

export async function runSchedule(
  schedule: Schedule,
  show: (testimony: Testimony) => void = () => {},
): Promise<ScheduleResult> {
  const fired = new Set<number>();
  const faults = schedule.faults.map((fault, place) => ({ fault, place }));
  const counts = { visit: 0, write: 0, call: 0, lookup: 0, hint: 0, send: 0, latency: 0 };
  let isOver = false;

  /** The faults that wait for this very count. */
  function struck<Kind extends Fault["kind"]>(
    kind: Kind,
    isNow: (fault: Fault & { kind: Kind }) => boolean,
  ) {
    if (isOver) return [];
    return faults.flatMap(({ fault, place }) => {
      if (fault.kind !== kind || !isNow(fault as Fault & { kind: Kind })) return [];
      fired.add(place);
      return [fault as Fault & { kind: Kind }];
    });
  }

  const latencyMs = () => {
    counts.latency += 1;
    const mixed =
      Math.imul(counts.latency ^ (schedule.seed << 7) ^ (schedule.n << 15), 0x9e3779b1) >>> 0;
    return mixed % 97 === 0 ? 1500 : 1 + (mixed % 37);
  };

  let fleet: Fleet;
  async function visit<Result>(
    { boundary, worker }: Visit,
    act: () => Promise<Result>,
  ): Promise<Result> {
    if (worker.dead) return never();
    counts.visit += 1;
    const mine = counts.visit;
    await world.clock.sleep(latencyMs());
    if (await strikes("before", mine)) return never();
    const result = await act();
    await world.clock.sleep(latencyMs());
    if (await strikes("after", mine)) return never();
    return result;

    async function strikes(when: "before" | "after", n: number): Promise<boolean> {
      if (worker.dead) return true;
      const stalls = struck("stall", (fault) => fault.visit === n && fault.when === when);
      if (boundary === "send" && when === "before") {
        counts.send += 1;
        stalls.push(...struck("freezeAtSend", ({ send }) => send === counts.send).map(asStall));
      }
      for (const { ms } of stalls) {
        fleet.freeze(worker, ms);
        const fromMs = world.nowMs();
        await world.clock.sleep(ms);
        if (boundary === "send" && when === "before") {
          world.notes.freezes.push({ worker: worker.id, fromMs, toMs: world.nowMs() });
        }
      }
      if (struck("kill", (fault) => fault.visit === n && fault.when === when).length > 0)
        fleet.kill(worker);
      return worker.dead;
    }
  }

  const world = newWorld({
    businesses: schedule.businesses,
    turnBudgetMs: schedule.turnBudgetMs,
    fused: schedule.fused,
    latencyMs,
    visit,
    hintFault() {
      counts.hint += 1;
      return struck("hint", ({ hint }) => hint === counts.hint)[0]?.fault;
    },
    systems: {
      callFault() {
        counts.call += 1;
        const [outage] = struck("outageAtCall", ({ call }) => call === counts.call);
        if (outage !== undefined) {
          fleet.stopUntil(world.nowMs() + outage.forMs);
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
  const operators = operatorsOf(world);
  let storeDownUntilMs = 0;
  world.cases.hooks = {
    ...world.cases.hooks,
    before({ operation }) {
      if (operation !== "write" && operation !== "createFinding") return undefined;
      if (world.nowMs() < storeDownUntilMs) return "lost";
      counts.write += 1;
      for (const { forMs } of struck("revokeAtWrite", ({ write }) => write === counts.write)) {
        for (const action of world.actions) operators.revoke(action, forMs);
      }
      const [twisted] = struck("write", ({ write }) => write === counts.write);
      if (twisted?.twist === "late") {
        world.clock.at(world.nowMs() + twisted.landAfterMs, () => void world.cases.landLate());
      }
      return twisted?.twist;
    },
  };
  fleet = fleetOf(world, {
    slots: schedule.slots,
    lagOf: (n) => struck("staleReads", ({ turn }) => turn === n)[0]?.lagVersions ?? 0,
  });
  world.setPump(fleet.pump);

  for (const { fault, place } of faults) {
    if (!("atMs" in fault)) continue;
    world.clock.at(startMs + fault.atMs, () => {
      if (isOver) return;
      const storeDown = (untilMs: number) => void (storeDownUntilMs = untilMs);
      void strikeOnce({ fault, fleet, operators, storeDown, place });
    });
  }
  async function strikeOnce(strike: Strike): Promise<void> {
    if (await strikeAtTime(world, strike)) fired.add(strike.place);
  }
  let isQuietNow = false;
  everyNow(world, {
    isOver: () => isQuietNow,
    async swept() {
      isQuietNow = isOver && fleet.isIdle() && (await world.isQuiet());
    },
  });
  for (const [n] of schedule.businesses.entries()) await world.post(n, { n: 1000 + n, amount: 1 });
  fleet.pump();
  await world.clock.run(startMs + faultsForMs);
  isOver = true;
  await settle(world, fleet, operators);
  await world.clock.run(world.nowMs() + settleForMs, () => isQuietNow);
  const testimony = await world.testimony(true);
  show(testimony);
  return {
    violations: audit(testimony),
    fired: [...fired].sort((a, b) => a - b),
    visits: counts.visit,
    outcomes: outcomesOf(testimony).map(({ name }) => name),
  };
}

function asStall({ ms }: Fault & { kind: "freezeAtSend" }): Fault & { kind: "stall" } {
  return { kind: "stall", visit: 0, when: "before", ms };
}

function never(): Promise<never> {
  return new Promise(() => {});
}

/** The sweeper and the reader of the feed go round until the world is quiet. */
function everyNow(world: World, until: { isOver(): boolean; swept(): Promise<void> }): void {
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
    position = await world.feed(position);
    world.clock.at(world.nowMs() + feedEveryMs, feed);
  };
  world.clock.at(startMs + 30_000, sweep);
  world.clock.at(startMs + feedEveryMs, feed);
}

async function settle(
  world: World,
  fleet: Fleet,
  operators: ReturnType<typeof operatorsOf>,
): Promise<void> {
  world.control.draining = false;
  world.cases.landLate();
  operators.grantAll();
  fleet.deploy(2, "all");
  for (const { caseId } of (await world.testimony(false)).cases.map(({ key }) => key)) {
    await world.hints.send("cases", {
      tenantId,
      caseId,
      hintId: `granted ${caseId}`,
      reason: "granted",
    });
  }
}

interface Strike {
  fault: Fault;
  place: number;
  fleet: Fleet;
  operators: ReturnType<typeof operatorsOf>;
  storeDown(untilMs: number): void;
}

/** False when it struck nothing: no effect to speak of, no grant to take. */
async function strikeAtTime(world: World, strike: Strike): Promise<boolean> {
  const { fault, fleet, operators, place } = strike;
  const nowMs = world.nowMs();
  switch (fault.kind) {
    case "facts": {
      const orderKey = fault.older ? { orderKey: "2026-11-29T11:00:00.000Z" } : {};
      await world.post(fault.caseN, { n: place, amount: fault.amount, ...orderKey });
      return true;
    }
    case "revoke":
      return operators.revoke(fault.action, fault.forMs);
    case "statement":
      return operators.state(fault.how, place);
    case "providerReport":
      return operators.report(place);
    case "deploy":
      fleet.deploy(2, "some");
      return true;
    case "drain":
      world.control.draining = true;
      world.clock.at(nowMs + fault.forMs, () => void (world.control.draining = false));
      return true;
    case "outage":
      fleet.stopUntil(nowMs + fault.forMs);
      return true;
    case "storeOutage":
      strike.storeDown(nowMs + fault.forMs);
      return true;
    case "skew":
      world.skew.brokerMs = fault.brokerMs;
      world.skew.sweeperMs = fault.sweeperMs;
      return true;
    case "spuriousHint":
      await world.hints
        .send("cases", { ...caseKeyOf(fault.caseN), hintId: `spurious ${place}`, reason: "test" })
        .catch(() => {});
      return true;
    case "kill":
    case "stall":
    case "freezeAtSend":
    case "outageAtCall":
    case "revokeAtWrite":
    case "write":
    case "call":
    case "lookupFails":
    case "hint":
    case "staleReads":
    case "none":
      return false;
  }
}
