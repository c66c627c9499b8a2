// Rolls the faults of a schedule: what may strike, how often and when.
import { contracts, freezeMsMax, systemKinds } from "./contracts.ts";
import { deliveryFaults } from "./deliveries.ts";
import { diceOf, type Dice } from "./dice.ts";
import type { Fault } from "./faults.ts";
import { resolvedHows, statedHows, type AmountLimit } from "./operators.ts";
import { answerFaults, approvers } from "./people.ts";
import { callFaults } from "./providers.ts";
import { actionNames } from "./workflows.ts";

/** When a key has become too old to be relied on. */
const { idempotency } = contracts.key;
const keyKeptMs = idempotency?.retentionMs ?? 0;
const keyAgedMs = keyKeptMs - (idempotency?.marginMs ?? 0);

/** Faults stop here. */
export const faultsForMs = 30 * 60_000;

/** Whom a fault is for. */
export interface Aim {
  caseN: number;
  /** What its plan asks for, and whom it tells by. */
  actions: readonly string[];
}

type Maker = (dice: Dice, aim: Aim) => Fault;

/** Half of all that happens falls into the seconds in which the first turns run. */
function timeOf(dice: Dice): number {
  if (dice.chance(0.6)) return dice.between(0, 3000);
  return dice.chance(0.5) ? dice.between(3000, 120_000) : dice.between(120_000, faultsForMs - 1);
}

export const makers: readonly Maker[] = [
  (dice) => ({ kind: "kill", visit: dice.between(1, 60), when: dice.pick(["before", "after"]) }),
  (dice) => ({ kind: "kill", visit: dice.between(1, 30), when: dice.pick(["before", "after"]) }),
  (dice) => ({
    kind: "stall",
    visit: dice.between(1, 60),
    when: dice.pick(["before", "after"]),
    ms: dice.pick([2000, 6000, 12_000, 30_000, 75_000, freezeMsMax]),
  }),
  (dice) => ({
    kind: "stall",
    visit: dice.between(1, 30),
    when: dice.pick(["before", "after"]),
    ms: dice.pick([2000, 6000, 12_000, 30_000, 75_000, freezeMsMax]),
  }),
  (dice) => ({
    kind: "write",
    write: dice.between(1, 15),
    twist: dice.pick(["lost", "unanswered", "late"]),
    landAfterMs: dice.pick([5, 60, 500, 5000, 30_000]),
  }),
  (dice) => ({
    kind: "freezeAtSend",
    send: dice.between(1, 5),
    ms: dice.pick([30_000, freezeMsMax]),
  }),
  (dice) => ({ kind: "call", call: dice.between(1, 6), fault: dice.pick(callFaults) }),
  (dice) => ({ kind: "call", call: dice.between(1, 4), fault: dice.pick(callFaults) }),
  (dice) => ({ kind: "lookupFails", lookup: dice.between(1, 3) }),
  (dice) => ({
    kind: "delivery",
    delivery: dice.between(1, 3),
    fault: dice.pick(deliveryFaults),
  }),
  (dice) => ({
    kind: "hint",
    hint: dice.between(1, 15),
    fault: dice.pick(["lost", "twice", "throws"]),
  }),
  (dice) => ({ kind: "staleReads", turn: dice.between(1, 8), lagVersions: dice.between(1, 3) }),
  (dice, { caseN }) => ({
    kind: "facts",
    atMs: timeOf(dice),
    caseN,
    amount: dice.pick([1, 2, 3, 10]),
    older: dice.chance(0.25),
    ...(dice.chance(0.2) ? { by: dice.pick(approvers) } : {}),
  }),
  (dice, { actions }) => ({
    kind: "revoke",
    atMs: timeOf(dice),
    action: dice.pick(dice.chance(0.5) ? actions : actionNames),
    forMs: dice.pick([1000, 60_000, 1_200_000]),
    ...(dice.chance(0.3) ? { thenForMs: dice.pick([5000, 90_000]) } : {}),
  }),
  (dice, { actions }) => ({
    kind: "limit",
    atMs: timeOf(dice),
    action: dice.pick(actions),
    limit: limitOf(dice),
    forMs: dice.pick([60_000, 1_200_000, "good"]),
  }),
  (dice) => ({
    kind: "lockLost",
    turn: dice.between(1, 8),
    afterMs: dice.pick([5, 60, 300, 5000]),
  }),
  (dice) => ({ kind: "answer", question: dice.between(1, 4), fault: dice.pick(answerFaults) }),
  (dice) => ({ kind: "answer", question: dice.between(1, 2), fault: dice.pick(answerFaults) }),
  (dice) => ({
    kind: "checkpoint",
    access: dice.between(1, 6),
    how: dice.pick(["lost", "unreadable"]),
  }),
  (dice) => ({
    kind: "statement",
    atMs: dice.between(5000, faultsForMs - 1),
    how: dice.pick(statedHows),
  }),
  (dice) => ({
    kind: "resolution",
    atMs: dice.between(5000, faultsForMs - 1),
    how: dice.pick(resolvedHows),
  }),
  (dice) => ({ kind: "providerReport", atMs: timeOf(dice) }),
  (dice, { caseN }) => ({ kind: "spuriousHint", atMs: timeOf(dice), caseN }),
];

export const rareMakers: readonly Maker[] = [
  (dice) => ({
    kind: "outageAtCall",
    call: dice.between(1, 3),
    // Among them one that ends about when the key's safe time does.
    forMs: dice.pick([60_000, ...Array<number>(3).fill(keyAgedMs + dice.between(-1000, 0)), 1e6]),
  }),
  (dice, { caseN }) => ({ kind: "recall", atMs: timeOf(dice), caseN }),
  (dice, { caseN }) => ({ kind: "erase", atMs: dice.between(10_000, faultsForMs - 1), caseN }),
  (dice) => ({ kind: "modelFails", ask: dice.between(1, 3) }),
  (dice) => ({ kind: "revokeAtWrite", write: dice.between(1, 6), forMs: dice.pick([500, 60_000]) }),
  (dice) => ({ kind: "deploy", atMs: timeOf(dice), slots: dice.pick(["some", "some", "all"]) }),
  // While the first calls are out.
  (dice) => ({ kind: "deploy", atMs: dice.between(0, 60_000), slots: "some" }),
  (dice) => ({
    kind: "rescue",
    atMs: timeOf(dice),
    what: dice.pick(["sweeperDown", "feedDown", "feedAgain"]),
    forMs: dice.pick([60_000, 600_000]),
  }),
  (dice) => ({ kind: "drain", atMs: timeOf(dice), forMs: dice.pick([1000, 60_000]) }),
  (dice) => ({ kind: "outage", atMs: timeOf(dice), forMs: dice.pick([60_000, 1_000_000]) }),
  (dice) => ({ kind: "storeOutage", atMs: timeOf(dice), forMs: dice.pick([500, 5000, 60_000]) }),
  (dice) => ({
    kind: "skew",
    atMs: 0,
    brokerMs: dice.pick([-30_000, -2000, 2000, 30_000]),
    sweeperMs: dice.pick([-300_000, 0, 300_000]),
  }),
  (dice) => ({
    kind: "limitAtWrite",
    write: dice.between(1, 6),
    limit: limitOf(dice),
    forMs: dice.pick([500, 60_000]),
  }),
  (dice) => ({
    kind: "killThenLimit",
    visit: dice.between(5, 25),
    limit: limitOf(dice),
    forMs: dice.pick([60_000, 1_200_000]),
  }),
  (dice) => ({
    kind: "rotateKeys",
    atMs: timeOf(dice),
    restarts: dice.pick(["some", "all"]),
    firstAfterMs: dice.pick([0, 2000, 60_000]),
  }),
  (dice) => ({
    kind: "loseKeys",
    atMs: timeOf(dice),
    restarts: dice.pick(["some", "all"]),
    forMs: dice.pick([2000, 60_000, 1_200_000, "good"]),
  }),
  (dice, { caseN }) => ({
    kind: "schedule",
    atMs: timeOf(dice),
    caseN,
    everyMinutes: dice.pick([1, 2, 5]),
    instances: dice.between(1, 3),
  }),
  (dice) => ({
    kind: "systemOutage",
    atMs: timeOf(dice),
    system: dice.pick(systemKinds),
    how: dice.pick(["silent", "silent", "unreachable"]),
    // Among them one that outlasts what a system keeps its keys for.
    forMs: dice.pick([5000, 60_000, 300_000, keyKeptMs + 60_000]),
  }),
];

function limitOf(dice: Dice): AmountLimit {
  return {
    // As text "10.00" is less than each of them.
    amount: dice.pick(["0.50", "2", "2.00", "9.99"]),
    currency: dice.pick(["EUR", "EUR", "EUR", "USD"]),
  };
}

/** These strike whatever happens, so that no schedule is tame. */
const certain: readonly Fault["kind"][] = ["facts", "revoke", "spuriousHint"];
const anyAim: Aim = { caseN: 0, actions: actionNames };
export const certainMakers = makers.filter((make) =>
  certain.includes(make(diceOf(1), anyAim).kind),
);
