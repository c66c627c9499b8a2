// The faults that strike at a time of their own, whatever the workers are at.
import type { Fleet } from "./fleet.ts";
import type { Operators } from "./operators.ts";
import type { Fault } from "./faults.ts";
import { faultsForMs } from "./fault-makers.ts";
import { startTimer } from "./timers.ts";
import { caseKeyOf, expectTransient, startMs, type World } from "./world.ts";

const scheduledForMs = 6 * 60_000;

export interface Strike {
  fault: Fault;
  place: number;
  fleet: Fleet;
  operators: Operators;
  storeDown(untilMs: number): void;
}

/** False when it struck nothing: no effect to speak of, no case to erase. */
export async function strikeAtTime(world: World, strike: Strike): Promise<boolean> {
  const { fault, fleet, operators, place } = strike;
  const nowMs = world.nowMs();
  switch (fault.kind) {
    case "facts": {
      const { amount, by, caseN, older } = fault;
      await world.post(caseN, {
        n: place,
        amount,
        ...(older ? { orderKey: "2026-11-29T11:00:00.000Z" } : {}),
        ...(by === undefined ? {} : { requestedBy: by }),
      });
      return true;
    }
    case "recall":
      await world.post(fault.caseN, { n: place, amount: 1, recall: true });
      return true;
    case "revoke":
      await operators.revoke(fault.action, fault.forMs, fault.thenForMs);
      return true;
    case "limit":
      await operators.limit(fault.action, fault.limit, fault.forMs);
      return true;
    case "rotateKeys":
      world.keyring.add();
      fleet.restart(fault.restarts);
      world.clock.at(nowMs + fault.firstAfterMs, () => {
        world.keyring.putFirst();
        fleet.restart(fault.restarts);
      });
      return true;
    case "loseKeys":
      loseKeys(world, fault, fleet);
      return true;
    case "systemOutage":
      world.takeDown(fault.system, fault);
      return true;
    case "statement":
      return operators.state(fault.how, place);
    case "resolution":
      return operators.resolve(fault.how, place);
    case "providerReport":
      return operators.report(place);
    case "schedule":
      startTimer(world, operators.book, {
        ...fault,
        name: `at-${place}`,
        untilMs: Math.min(nowMs + scheduledForMs, startMs + faultsForMs),
      });
      return true;
    case "rescue":
      if (fault.what === "feedAgain") world.rescue.feedAgain = true;
      else world.rescue[fault.what] = nowMs + fault.forMs;
      return true;
    case "erase":
      return operators.erase(fault.caseN);
    case "deploy":
      fleet.deploy(2, fault.slots);
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
    case "spuriousHint": {
      const hint = { ...caseKeyOf(fault.caseN), hintId: `spurious ${place}`, reason: "test" };
      await world.hints.send("cases", hint).catch(expectTransient);
      return true;
    }
    case "kill":
    case "stall":
    case "freezeAtSend":
    case "outageAtCall":
    case "revokeAtWrite":
    case "limitAtWrite":
    case "killThenLimit":
    case "lockLost":
    case "write":
    case "call":
    case "delivery":
    case "lookupFails":
    case "checkpoint":
    case "modelFails":
    case "answer":
    case "hint":
    case "staleReads":
    case "none":
      return false;
  }
}

/** Whoever has a key still opens with it, until its process ends. */
function loseKeys(
  { clock, keyring, nowMs }: World,
  { forMs, restarts }: Fault & { kind: "loseKeys" },
  fleet: Fleet,
): void {
  keyring.lose(forMs === "good");
  fleet.restart(restarts);
  if (forMs === "good") return;
  clock.at(nowMs() + forMs, () => {
    keyring.find();
    fleet.restart("all");
  });
}
