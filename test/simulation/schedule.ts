// One schedule: a business and a list of faults, all from two numbers. Nothing else is random.
//
// Faults are explicit, so that a schedule can be shrunk by leaving some of them out. A fault on the nth visit, write or
// call strikes wherever that happens to be in the interleaving; if it never comes so far, the fault does not count.
import { systemKinds } from "./contracts.ts";
import { diceOf, mixSeeds, type Dice } from "./dice.ts";
import { certainMakers, makers, rareMakers, type Aim } from "./fault-makers.ts";
import type { Fault } from "./faults.ts";
import { plannedActions, type Business } from "./workflows.ts";

export interface Schedule {
  seed: number;
  n: number;
  businesses: Business[];
  slots: number;
  fused: boolean;
  /** How long people take to answer. */
  answerAfterMs: number;
  turnBudgetMs: number;
  /** The next revision calls its systems at another address, where nobody knows of earlier calls, under a revised contract. */
  moves: boolean;
  faults: Fault[];
}

export const faultsMin = 10;
const faultsMade = 46;
const rareMade = 11;

export function scheduleOf(seed: number, n: number): Schedule {
  const dice = diceOf(mixSeeds(seed, n));
  const caseCount = dice.chance(0.8) ? 1 : 2;
  const businesses = Array.from({ length: caseCount }, () => businessOf(dice));
  return {
    seed,
    n,
    businesses,
    slots: dice.between(1, 4),
    fused: dice.chance(0.85),
    answerAfterMs: dice.pick([500, 500, 4000, 30_000]),
    // The last is the least that the app starts with.
    turnBudgetMs: dice.pick([90_000, 90_000, 40_000, 20_000]),
    moves: dice.chance(0.5),
    faults: Array.from({ length: faultsMade }, (_, place) => faultOf(dice, place, businesses)),
  };
}

function businessOf(dice: Dice): Business {
  const kinds = (min: number, max: number) =>
    Array.from({ length: dice.between(min, max) }, () => dice.pick(systemKinds));
  const plan = kinds(1, 3);
  return {
    plan,
    asked: dice.chance(0.5) ? [] : plan.flatMap((_kind, n) => (dice.chance(0.6) ? [n] : [])),
    notify: kinds(0, 2),
    decider: dice.pick(["rest", "rest", "rest", "again", "repeats", "repeats", "hasty"]),
    asksModel: dice.chance(0.25),
    reopens: dice.chance(0.25),
  };
}

function faultOf(dice: Dice, place: number, businesses: readonly Business[]): Fault {
  const isRare = place >= faultsMade - rareMade;
  const from = isRare ? rareMakers : place < faultsMin ? certainMakers : makers;
  const caseN = dice.between(0, businesses.length - 1);
  const actions = businesses.slice(caseN, caseN + 1).flatMap(plannedActions);
  return dice.pick<(dice: Dice, aim: Aim) => Fault>(from)(dice, { caseN, actions });
}
