// The command line of the auditor's own test.
import { valuesOf, wholeNumber, wrong, type Parsed } from "../../command-line.ts";
import type { SafetyMutant } from "./mutant.ts";
import { safetyMutants } from "./safety-mutants.ts";

export const help = `npm run mutants -- [--only TEXT] [--seed S] [--schedules N] [--json]

Takes the rules of the app away, one at a time, in a scratch copy, and lets the simulation run there until the auditor's
rule of that name speaks; the app as it is, and a harmless change, must leave it silent. Exits with 1 when a rule's absence
was not seen or a control was not silent, with 2 when the command cannot be understood.

  --only TEXT     the mutants with this in their name, and no controls
  --seed S        of the schedules; 1 without it
  --schedules N   how many before a mutant counts as unseen; 1200 without it, most need fewer than 100
  --json          {killed, total, controls, verdicts, tookMs}
`;

export interface Options {
  seed: number;
  schedules: number;
  mutants: readonly SafetyMutant[];
  /** Whether the app as it is must be silent, too. */
  withControls: boolean;
  json: boolean;
}

export function parseOptions(args: readonly string[]): Parsed<Options> {
  const values = valuesOf(args, {
    help: { type: "boolean", default: false, short: "h" },
    seed: { type: "string", default: "1" },
    schedules: { type: "string", default: "1200" },
    only: { type: "string" },
    json: { type: "boolean", default: false },
  });
  if (typeof values === "string") return wrong(values);
  if (values.help) return { kind: "help" };
  const { json, only } = values;
  const seed = wholeNumber(values.seed, 0, 2 ** 31 - 1);
  const schedules = wholeNumber(values.schedules, 1, 1_000_000);
  if (seed === undefined) return wrong(`--seed takes a whole number, not "${values.seed}"`);
  if (schedules === undefined)
    return wrong(`--schedules takes a whole number from 1, not "${values.schedules}"`);
  const mutants = safetyMutants.filter(({ without }) => without.includes(only ?? ""));
  if (mutants.length > 0) {
    const withControls = only === undefined;
    return { kind: "run", options: { seed, schedules, mutants, withControls, json } };
  }
  const names = safetyMutants.map(({ without }) => `  ${without}`).join("\n");
  return wrong(`--only: no mutant has "${only}" in its name; there are:\n${names}\n`);
}
