// Runs trials in several lanes side by side and adds them up. A combination counts only if its fault struck.
import type { Violation } from "../../audit/testimony.ts";
import { boundariesInSource } from "../boundaries.ts";
import type { Only } from "../options.ts";
import { openLane, type Lane } from "./lane.ts";
import { rehearse } from "./rehearse.ts";
import { runTrial, type Combination, type Setting } from "./run-trial.ts";
import { contractsOf, type Subject } from "./subject.ts";
import { completeBoundary, wireBoundary } from "./told.ts";
import { combinationsAt, pointsOf } from "./trials.ts";

export interface Campaigned {
  combinations: number;
  boundaries: number;
  reached: number;
  violations: number;
  kills: number;
  stops: number;
  unreached: string[];
  notFired: Combination[];
  found: ({ combination: Setting } & Violation)[];
}

export interface CampaignOptions {
  subjects: readonly Subject[];
  /** The module that they are from; absent: the app's own. */
  from?: string | undefined;
  actions: readonly string[];
  lanes: number;
  /** Every nth only; 1: all. */
  every?: number;
  /** Those alone that have these fields. */
  only?: Only | undefined;
  say?(line: string): void;
}

const triesMax = 3;

export async function campaign(options: CampaignOptions): Promise<Campaigned> {
  const { every = 1, from, only = {}, say = () => {}, subjects } = options;
  const actions = options.actions.filter((name) => (only.action ?? name) === name);
  const wanted = subjects.filter(({ action }) => actions.includes(action.name));
  const startedMs = performance.now();
  const timed = (line: string) =>
    say(`${((performance.now() - startedMs) / 1000).toFixed(0)} s: ${line}`);
  const lanes = await openLanes(options.lanes, { subjects, from });
  try {
    const { all, failed } = await combinationsIn(lanes, wanted, only);
    for (const { combination, evidence } of failed) timed(`${combination.action}: ${evidence}`);
    const chosen = all.filter((one, n) => n % every === 0 && has(one, only));
    timed(`${chosen.length} combinations in ${lanes.length} lanes`);
    // Of what does not work nothing is owed.
    const named = failed.length > 0 ? [] : boundariesDue(wanted);
    const sum = await runAll(lanes, chosen, { named, say: timed });
    const found = [...failed, ...sum.found];
    return { ...sum, found, violations: found.length };
  } finally {
    await Promise.all(lanes.map((lane) => lane.close()));
  }
}

/** Watched runs show them; a whole one that is asked for needs no watching. */
async function combinationsIn(
  lanes: readonly Lane[],
  subjects: readonly Subject[],
  { action, boundary, fault, machines, situation, visit }: Only,
): Promise<{ all: Combination[]; failed: Campaigned["found"] }> {
  if (action && boundary && fault && machines && situation && visit) {
    return { all: [{ action, situation, boundary, visit, fault, machines }], failed: [] };
  }
  const watchers = lanes.filter((lane) => lane.machines.length === 1);
  const perAction = await shared(watchers, subjects, async (lane, subject) => {
    const { contract } = subject.provider("http://127.0.0.1:9");
    const hasKey = contract.idempotency !== undefined;
    const { name } = subject.action;
    const rehearsed = await rehearse(lane, name);
    if (rehearsed.kind === "fails") return { combination: calmOf(name), ...rehearsed.broken };
    const points = await pointsOf(lane, name, rehearsed.visited);
    return combinationsAt(name, points, { hasKey });
  });
  return {
    all: perAction.flatMap((one) => ("rule" in one ? [] : one)),
    failed: perAction.flatMap((one) => ("rule" in one ? [one] : [])),
  };
}

const calmOf = (action: string): Setting => ({ action, situation: "calm" });

function has(combination: Combination, only: Only): boolean {
  const fields = Object.entries(only);
  return fields.every(([name, value]) => Reflect.get(combination, name) === value);
}

/** Of one machine and of two, in turn; the same combinations need the same kind. */
function openLanes(
  count: number,
  of: { subjects: readonly Subject[]; from?: string | undefined },
): Promise<Lane[]> {
  return Promise.all(
    Array.from({ length: Math.max(2, count) }, (_, n) =>
      openLane({ ...of, machines: n % 2 === 0 ? 1 : 2 }),
    ),
  );
}

export async function runAll(
  lanes: readonly Lane[],
  combinations: readonly Combination[],
  { named, say = () => {} }: { named: readonly string[]; say?(line: string): void },
): Promise<Campaigned> {
  const sum: Campaigned = {
    combinations: 0,
    boundaries: named.length,
    reached: 0,
    violations: 0,
    kills: 0,
    stops: 0,
    unreached: [],
    notFired: [],
    found: [],
  };
  const reached = new Set<string>();
  let done = 0;
  const trial = async (lane: Lane, combination: Combination) => {
    let fired = false;
    // On a busy machine a case may take another way, which does not lead there.
    for (let tries = 0; tries < triesMax && !fired; tries += 1) {
      const ran = await runTrial(lane, combination);
      fired = ran.fired;
      for (const violation of ran.violations) {
        sum.found.push({ combination, ...violation });
        say(`${violation.rule}: ${violation.evidence} ${JSON.stringify(combination)}`);
      }
    }
    done += 1;
    if (done % 25 === 0)
      say(`${done} of ${combinations.length} done, ${sum.found.length} violations`);
    if (!fired) {
      sum.notFired.push(combination);
      return;
    }
    reached.add(combination.boundary);
    sum.combinations += 1;
    if (combination.fault === "killed") sum.kills += 1;
    if (combination.fault.startsWith("frozen")) sum.stops += 1;
  };
  await Promise.all(
    ([1, 2] as const).map((machines) =>
      shared(
        lanes.filter((lane) => lane.machines.length === machines),
        combinations.filter((one) => one.machines === machines),
        trial,
      ),
    ),
  );
  sum.violations = sum.found.length;
  sum.unreached = named.filter((boundary) => !reached.has(boundary));
  sum.reached = named.length - sum.unreached.length;
  return sum;
}

/** Each lane takes the next piece of work when it is free. */
async function shared<Work, Result>(
  lanes: readonly Lane[],
  work: readonly Work[],
  act: (lane: Lane, piece: Work) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const waiting = work.map((piece, n) => ({ piece, n }));
  await Promise.all(
    lanes.map(async (lane) => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        results[next.n] = await act(lane, next.piece);
      }
    }),
  );
  return results;
}

/** Only a contract with a look-up ever looks, and only a sensitive payload is read from apart. */
function boundariesDue(subjects: readonly Subject[]): string[] {
  const looks = Object.values(contractsOf(subjects)).some(({ lookup }) => lookup !== undefined);
  const seals = subjects.some(({ action }) => action.sensitive === true);
  const named = [...boundariesInSource(), wireBoundary, completeBoundary];
  return named.filter(
    (boundary) => (boundary !== "lookUp" || looks) && (boundary !== "readPayload" || seals),
  );
}
