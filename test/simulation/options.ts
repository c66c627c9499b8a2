// The command line of the simulation.
import { availableParallelism } from "node:os";
import { valuesOf, wholeNumber, wrong, type Parsed } from "../command-line.ts";
import { scheduleOf } from "./schedule.ts";

export const help = `npm run simulate -- [--schedules N] [--seed S] [--workers N] [--no-shrink] [--json]
npm run simulate -- --seed S --schedule K [--only 3,7 | --only none] [--no-shrink] [--json]

Runs many small worlds, each with faults of its own, and lets an auditor judge what became of their cases; README.md beside
this says what they hold. Exits with 1 when a rule was broken, a schedule had too few faults to prove anything, or a run of
a thousand or more never came to something that it is there for; with 2 when the command cannot be understood.

  --schedules N   how many; 1000 without it
  --seed S        the same seed makes the same schedules; 1 without it
  --schedule K    this one alone, the first is 0
  --only 3,7      with these of its faults alone, as a violation prints them; "none" is without any
  --workers N     in how many processes; one for each core without it
  --no-shrink     a violation is told at once, with all the faults of its schedule
  --json          one object: what ran, what happened, violations with the command that replays each
`;

export interface Options {
  seed: number;
  schedules: number;
  /** Undefined: all of them. */
  schedule: number | undefined;
  places: readonly number[] | undefined;
  workers: number;
  shrinks: boolean;
  json: boolean;
}

const max = 1_000_000;
const seedMax = 2 ** 31 - 1;

export function parseOptions(args: readonly string[]): Parsed<Options> {
  const values = valuesOf(args, {
    help: { type: "boolean", default: false, short: "h" },
    schedules: { type: "string" },
    seed: { type: "string", default: "1" },
    schedule: { type: "string" },
    only: { type: "string" },
    json: { type: "boolean", default: false },
    workers: { type: "string", default: String(availableParallelism()) },
    "no-shrink": { type: "boolean", default: false },
  });
  if (typeof values === "string") return wrong(values);
  if (values.help) return { kind: "help" };
  const { json, only } = values;
  const seed = wholeNumber(values.seed, 0, seedMax);
  const schedules = wholeNumber(values.schedules ?? "1000", 1, max);
  const workers = wholeNumber(values.workers, 1, 64);
  const schedule = wholeNumber(values.schedule ?? "0", 0, max);
  if (seed === undefined) return wrong(`--seed takes 0 to ${seedMax}, not "${values.seed}"`);
  if (schedules === undefined)
    return wrong(`--schedules takes 1 to ${max}, not "${values.schedules}"`);
  if (workers === undefined) return wrong(`--workers takes 1 to 64, not "${values.workers}"`);
  if (schedule === undefined)
    return wrong(`--schedule takes 0 to ${max}, not "${values.schedule}"`);
  const shrinks = only === undefined && !values["no-shrink"];
  const options = {
    seed,
    schedules,
    schedule: undefined,
    places: undefined,
    workers,
    shrinks,
    json,
  };
  if (values.schedule === undefined) {
    if (only === undefined) return { kind: "run", options };
    return wrong("--only says which faults of one schedule; name it with --schedule");
  }
  if (values.schedules !== undefined)
    return wrong("--schedules is how many, --schedule is one; give one of them");
  const places = placesOf(only, scheduleOf(seed, schedule).faults.length);
  if (typeof places === "string") return wrong(`--only ${places}`);
  return { kind: "run", options: { ...options, schedule, places } };
}

/** Text: what is wrong with it. */
function placesOf(only: string | undefined, count: number): readonly number[] | string | undefined {
  if (only === undefined) return undefined;
  if (only === "none") return [];
  const texts = only.split(",");
  const places = texts.flatMap((text) => wholeNumber(text, 0, count - 1) ?? []);
  return places.length === texts.length
    ? places
    : `takes numbers from 0 to ${count - 1} with commas between them, or none, not "${only}"`;
}
