// npm run mutants -- [--seed S] [--schedules N] [--json] [--only TEXT]
//
// The control must be silent, and so must the harmless mutant; then each mutant must be seen by the rule of its name.
// Prints killed/total.
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { judge, runMutant, type Verdict } from "./run-mutant.ts";
import type { SafetyMutant } from "./mutant.ts";
import { harmless, safetyMutants } from "./safety-mutants.ts";

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    schedules: { type: "string", default: "600" },
    only: { type: "string", default: "" },
    json: { type: "boolean", default: false },
  },
});
const trial = { seed: Number(values.seed), schedules: Number(values.schedules) };
const startedMs = performance.now();
const mutants = safetyMutants.filter(({ without }) => without.includes(values.only));
const verdicts: { without: string; verdict: Verdict }[] = [];
const queue: (() => Promise<void>)[] = mutants.map((mutant) => () => try1(mutant));
const controls: Record<string, string[]> = {};
if (values.only === "") {
  queue.unshift(
    () => control("as it is", []),
    () => control(harmless.without, harmless.patches),
  );
}
await Promise.all(Array.from({ length: Math.max(1, availableParallelism()) }, work));

const killed = verdicts.filter(({ verdict }) => verdict.kind === "killed").length;
const noisy = Object.entries(controls).filter(([, spoke]) => spoke.length > 0);
const tookMs = Math.round(performance.now() - startedMs);
if (values.json)
  console.log(
    JSON.stringify(
      { ...trial, killed, total: mutants.length, controls, verdicts, tookMs },
      null,
      2,
    ),
  );
else {
  for (const [name, spoke] of noisy) console.log(`CONTROL ${name}: ${spoke.join("; ")}`);
  console.log(
    `killed ${killed}/${mutants.length}, controls silent: ${noisy.length === 0}, ${tookMs} ms`,
  );
}
process.exitCode = killed === mutants.length && noisy.length === 0 ? 0 : 1;

async function work(): Promise<void> {
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) await next();
}

async function try1(mutant: SafetyMutant): Promise<void> {
  const { without } = mutant;
  const verdict = await runMutant(mutant, trial);
  verdicts.push({ without, verdict });
  const how =
    verdict.kind === "killed" ? `${verdict.by} in schedule ${verdict.schedules - 1}` : verdict.why;
  if (!values.json) console.log(`${verdict.kind.padEnd(8)} without ${without}: ${how}`);
}

async function control(name: string, patches: SafetyMutant["patches"]): Promise<void> {
  const judged = await judge(patches, { ...trial, rules: [] });
  controls[name] =
    typeof judged === "string"
      ? [judged]
      : Object.entries(judged.spoke).map(([rule, evidence]) => `${rule}: ${evidence}`);
}
