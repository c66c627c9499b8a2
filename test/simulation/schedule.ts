// One schedule: a business and a list of faults, all from two numbers. Nothing else is random.
//
// Faults are explicit, so that a schedule can be shrunk by leaving some of them out. A fault on the nth visit, write or
// call strikes wherever that happens to be in the interleaving; if it never comes so far, the fault does not count.
import type { CallFault } from "./providers.ts";
import { callFaults } from "./providers.ts";
import { contractKinds, contracts, freezeMsMax } from "./contracts.ts";
import { diceOf, mixSeeds, type Dice } from "./dice.ts";
import { resolvedHows, statedHows, type ResolvedHow, type StatedHow } from "./operators.ts";
import { answerFaults, approvers, type AnswerFault } from "./people.ts";
import { actionNames, type Business } from "./workflows.ts";

export type Fault =
  | { kind: "kill"; visit: number; when: "before" | "after" }
  | { kind: "stall"; visit: number; when: "before" | "after"; ms: number }
  /** Between the gate's last look and the socket. */
  | { kind: "freezeAtSend"; send: number; ms: number }
  /** Its answer is lost, and no worker looks for so long: keys may be pruned meanwhile. */
  | { kind: "outageAtCall"; call: number; forMs: number }
  /** Everything is revoked while a batch is on its way: a claim that was granted when it was made. */
  | { kind: "revokeAtWrite"; write: number; forMs: number }
  | { kind: "write"; write: number; twist: "lost" | "unanswered" | "late"; landAfterMs: number }
  | { kind: "call"; call: number; fault: CallFault }
  | { kind: "lookupFails"; lookup: number }
  | { kind: "hint"; hint: number; fault: "lost" | "twice" | "throws" }
  | { kind: "staleReads"; turn: number; lagVersions: number }
  /** A checkpoint that is not written, or not read. */
  | { kind: "checkpoint"; access: number; how: "lost" | "unreadable" }
  | { kind: "modelFails"; ask: number }
  | { kind: "answer"; question: number; fault: AnswerFault }
  /** `by`: a person's own doing, who then may not approve. */
  | { kind: "facts"; atMs: number; caseN: number; amount: number; older: boolean; by?: string }
  | { kind: "recall"; atMs: number; caseN: number }
  /** `thenForMs`: granted again, and only for so long. */
  | { kind: "revoke"; atMs: number; action: string; forMs: number; thenForMs?: number }
  | { kind: "statement"; atMs: number; how: StatedHow }
  | { kind: "resolution"; atMs: number; how: ResolvedHow }
  | { kind: "providerReport"; atMs: number }
  | { kind: "erase"; atMs: number; caseN: number }
  | { kind: "deploy"; atMs: number; slots: "some" | "all" }
  | { kind: "drain"; atMs: number; forMs: number }
  | { kind: "outage"; atMs: number; forMs: number }
  | { kind: "storeOutage"; atMs: number; forMs: number }
  | { kind: "skew"; atMs: number; brokerMs: number; sweeperMs: number }
  | { kind: "spuriousHint"; atMs: number; caseN: number }
  /** Left out by shrinking. */
  | { kind: "none" };

/** Every kind that a schedule may hold. */
export const faultKinds = [
  "answer",
  "call",
  "checkpoint",
  "deploy",
  "drain",
  "erase",
  "facts",
  "freezeAtSend",
  "hint",
  "kill",
  "lookupFails",
  "modelFails",
  "outage",
  "outageAtCall",
  "providerReport",
  "recall",
  "resolution",
  "revoke",
  "revokeAtWrite",
  "skew",
  "spuriousHint",
  "staleReads",
  "stall",
  "statement",
  "storeOutage",
  "write",
] as const satisfies readonly Fault["kind"][];

export interface Schedule {
  seed: number;
  n: number;
  businesses: Business[];
  slots: number;
  fused: boolean;
  /** How long people take to answer. */
  answerAfterMs: number;
  turnBudgetMs: number;
  faults: Fault[];
}

/** When a key has become too old to be relied on. */
const { idempotency } = contracts.key;
const keyAgedMs = (idempotency?.retentionMs ?? 0) - (idempotency?.marginMs ?? 0);

export const faultsMin = 10;
const faultsMade = 44;
const rareMade = 8;
/** Faults stop here. */
export const faultsForMs = 30 * 60_000;

export function scheduleOf(seed: number, n: number): Schedule {
  const dice = diceOf(mixSeeds(seed, n));
  const caseCount = dice.chance(0.8) ? 1 : 2;
  return {
    seed,
    n,
    businesses: Array.from({ length: caseCount }, () => businessOf(dice)),
    slots: dice.between(1, 4),
    fused: dice.chance(0.85),
    answerAfterMs: dice.pick([500, 500, 4000, 30_000]),
    turnBudgetMs: dice.pick([90_000, 90_000, 40_000, 16_000]),
    faults: Array.from({ length: faultsMade }, (_, place) => faultOf(dice, place, caseCount)),
  };
}

function businessOf(dice: Dice): Business {
  const kinds = (min: number, max: number) =>
    Array.from({ length: dice.between(min, max) }, () => dice.pick(contractKinds));
  const plan = kinds(1, 3);
  return {
    plan,
    asked: dice.chance(0.5) ? [] : plan.flatMap((_kind, n) => (dice.chance(0.6) ? [n] : [])),
    notify: kinds(0, 2),
    decider: dice.pick(["rest", "rest", "rest", "again", "repeats", "repeats", "hasty"]),
    asksModel: dice.chance(0.25),
  };
}

/** Half of all that happens falls into the seconds in which the first turns run. */
function timeOf(dice: Dice): number {
  if (dice.chance(0.6)) return dice.between(0, 3000);
  return dice.chance(0.5) ? dice.between(3000, 120_000) : dice.between(120_000, faultsForMs - 1);
}

const makers: readonly ((dice: Dice, caseN: number) => Fault)[] = [
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
    kind: "hint",
    hint: dice.between(1, 15),
    fault: dice.pick(["lost", "twice", "throws"]),
  }),
  (dice) => ({ kind: "staleReads", turn: dice.between(1, 8), lagVersions: dice.between(1, 3) }),
  (dice, caseN) => ({
    kind: "facts",
    atMs: timeOf(dice),
    caseN,
    amount: dice.between(1, 3),
    older: dice.chance(0.25),
    ...(dice.chance(0.2) ? { by: dice.pick(approvers) } : {}),
  }),
  (dice) => ({
    kind: "revoke",
    atMs: timeOf(dice),
    action: dice.pick(actionNames),
    forMs: dice.pick([1000, 60_000, 1_200_000]),
    ...(dice.chance(0.3) ? { thenForMs: dice.pick([5000, 90_000]) } : {}),
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
  (dice, caseN) => ({ kind: "spuriousHint", atMs: timeOf(dice), caseN }),
];

const rare: readonly ((dice: Dice, caseN: number) => Fault)[] = [
  (dice) => ({
    kind: "outageAtCall",
    call: dice.between(1, 3),
    // Among them one that ends about when the key's safe time does.
    forMs: dice.pick([60_000, ...Array<number>(3).fill(keyAgedMs + dice.between(-1000, 0)), 1e6]),
  }),
  (dice, caseN) => ({ kind: "recall", atMs: timeOf(dice), caseN }),
  (dice, caseN) => ({ kind: "erase", atMs: dice.between(10_000, faultsForMs - 1), caseN }),
  (dice) => ({ kind: "modelFails", ask: dice.between(1, 3) }),
  (dice) => ({ kind: "revokeAtWrite", write: dice.between(1, 6), forMs: dice.pick([500, 60_000]) }),
  (dice) => ({ kind: "deploy", atMs: timeOf(dice), slots: dice.pick(["some", "some", "all"]) }),
  (dice) => ({ kind: "drain", atMs: timeOf(dice), forMs: dice.pick([1000, 60_000]) }),
  (dice) => ({ kind: "outage", atMs: timeOf(dice), forMs: dice.pick([60_000, 1_000_000]) }),
  (dice) => ({ kind: "storeOutage", atMs: timeOf(dice), forMs: dice.pick([500, 5000, 60_000]) }),
  (dice) => ({
    kind: "skew",
    atMs: 0,
    brokerMs: dice.pick([-30_000, -2000, 2000, 30_000]),
    sweeperMs: dice.pick([-300_000, 0, 300_000]),
  }),
];

/** These strike whatever happens, so that no schedule is tame. */
const certain: readonly Fault["kind"][] = ["facts", "revoke", "spuriousHint"];
const certainMakers = makers.filter((make) => certain.includes(make(diceOf(1), 0).kind));

function faultOf(dice: Dice, place: number, caseCount: number): Fault {
  const isRare = place >= faultsMade - rareMade;
  const from = isRare ? rare : place < faultsMin ? certainMakers : makers;
  return dice.pick<(dice: Dice, caseN: number) => Fault>(from)(
    dice,
    dice.between(0, caseCount - 1),
  );
}
