// Many schedules, judged one by one; a violation comes with the command that replays it and what is left after shrinking.
import { rules } from "../audit/auditor.ts";
import { happenings } from "./happenings.ts";
import { runSchedule } from "./run-schedule.ts";
import { faultKinds, type Fault } from "./faults.ts";
import { faultsMin, scheduleOf, type Schedule } from "./schedule.ts";
import { onlyFaults, shrink } from "./shrink.ts";

/** From here on a run must have seen every kind of fault, every happening, and subjects of every rule. */
export const schedulesTelling = 1000;

export interface Found {
  schedule: number;
  rule: string;
  evidence: string;
  replay: string;
  /** The faults that it takes. */
  events: Fault[];
}

export interface Simulated {
  schedules: number;
  visits: number;
  faults: number;
  /** The fewest that struck in any schedule. */
  faultsLeast: number;
  faultKinds: Record<string, number>;
  outcomes: Record<string, number>;
  /** What schedules brought about, and how many subjects each rule of the auditor found to judge. */
  happened: Record<string, number>;
  looked: Record<string, number>;
  violations: Found[];
}

export interface Range {
  seed: number;
  from: number;
  /** Every nth, so that several processes share the work. */
  step: number;
  until: number;
  /** Only these faults of the schedule; undefined: all. */
  places?: readonly number[];
  shrinks: boolean;
}

export function nothingYet(): Simulated {
  return {
    schedules: 0,
    visits: 0,
    faults: 0,
    faultsLeast: Infinity,
    faultKinds: {},
    outcomes: {},
    happened: {},
    looked: {},
    violations: [],
  };
}

export async function simulate(range: Range): Promise<Simulated> {
  const sum = nothingYet();
  for (let n = range.from; n < range.until; n += range.step) {
    const made = scheduleOf(range.seed, n);
    const schedule = range.places === undefined ? made : onlyFaults(made, range.places);
    const ran = await runSchedule(schedule);
    const { fired, outcomes, violations, visits } = ran;
    sum.schedules += 1;
    sum.visits += visits;
    sum.faults += fired.length;
    sum.faultsLeast = Math.min(sum.faultsLeast, fired.length);
    for (const place of fired) count(sum.faultKinds, schedule.faults[place]?.kind ?? "none");
    for (const outcome of outcomes) count(sum.outcomes, outcome);
    sum.happened = summed(sum.happened, ran.happened);
    sum.looked = summed(sum.looked, ran.looked);
    const rules = new Map(violations.map((violation) => [violation.rule, violation]));
    for (const { evidence, rule } of rules.values()) {
      const replay = `npm run simulate -- --seed ${range.seed} --schedule ${n}`;
      // The first of a rule is worth the time; more of the same are not.
      const isFirst = !sum.violations.some((found) => found.rule === rule);
      const places = range.shrinks && isFirst ? await shrunk(schedule, rule, fired) : fired;
      sum.violations.push({
        schedule: n,
        rule,
        evidence,
        replay:
          range.shrinks && isFirst ? `${replay} --only ${places.join(",") || "none"}` : replay,
        events: places.flatMap((place) => schedule.faults[place] ?? []),
      });
    }
  }
  return sum;
}

function shrunk(
  schedule: Schedule,
  rule: string,
  fired: readonly number[],
): Promise<readonly number[]> {
  return shrink({
    all: schedule.faults.map((_fault, place) => place),
    fired,
    async breaks(places) {
      const { violations } = await runSchedule(onlyFaults(schedule, places));
      return violations.some((violation) => violation.rule === rule);
    },
  });
}

export function added(a: Simulated, b: Simulated): Simulated {
  return {
    schedules: a.schedules + b.schedules,
    visits: a.visits + b.visits,
    faults: a.faults + b.faults,
    faultsLeast: Math.min(a.faultsLeast, b.faultsLeast),
    faultKinds: summed(a.faultKinds, b.faultKinds),
    outcomes: summed(a.outcomes, b.outcomes),
    happened: summed(a.happened, b.happened),
    looked: summed(a.looked, b.looked),
    violations: [...a.violations, ...b.violations],
  };
}

/** Why the run as a whole proves nothing, violations apart; undefined when it does. */
export function whyTooTame(sum: Simulated): string | undefined {
  if (sum.schedules === 0) return "no schedule ran";
  if (sum.faultsLeast < faultsMin)
    return `a schedule had ${sum.faultsLeast} faults, fewer than ${faultsMin}`;
  if (sum.schedules < schedulesTelling) return undefined;
  const never = [
    ...faultKinds.filter((kind) => sum.faultKinds[kind] === undefined),
    ...happenings.filter((name) => sum.happened[name] === undefined),
    ...Object.keys(rules).filter((rule) => (sum.looked[rule] ?? 0) === 0),
  ];
  return never.length > 0 ? `it never came to: ${never.join("; ")}` : undefined;
}

function count(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}

function summed(
  a: Readonly<Record<string, number>>,
  b: Readonly<Partial<Record<string, number>>>,
): Record<string, number> {
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return Object.fromEntries([...names].map((name) => [name, (a[name] ?? 0) + (b[name] ?? 0)]));
}
