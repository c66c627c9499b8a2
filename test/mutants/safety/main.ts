// npm run mutants -- --help says what it does and takes. Each verdict goes to standard error as it comes, the result to
// standard output.
import { availableParallelism } from "node:os";
import { runCommand } from "../../command-line.ts";
import { help, parseOptions, type Options } from "./options.ts";
import { judge, runMutant, type Verdict } from "./run-mutant.ts";
import type { SafetyMutant } from "./mutant.ts";
import { harmless } from "./safety-mutants.ts";

const say = (line: string) => void process.stderr.write(`${line}\n`);

async function run(options: Options): Promise<number> {
  const { json, mutants, schedules, seed, withControls } = options;
  const trial = { seed, schedules };
  const startedMs = performance.now();
  const verdicts: { without: string; verdict: Verdict }[] = [];
  const controls: Record<string, string[]> = {};
  const control = async ({ patches, seenBy, without: name }: SafetyMutant) => {
    const spoke = spokenIn(await judge(patches, { ...trial, rules: [] }));
    controls[name] = spoke.filter((text) => !seenBy.some((rule) => text.startsWith(`${rule}:`)));
    for (const text of controls[name]) say(`CONTROL ${name}: ${text}`);
  };
  const mutate = async (mutant: SafetyMutant) => {
    const { without } = mutant;
    const verdict = await runMutant(mutant, trial);
    verdicts.push({ without, verdict });
    say(`${verdict.kind.padEnd(8)} without ${without}: ${told(verdict)}`);
  };
  await sharedOut([
    ...(withControls
      ? [() => control({ without: "anything", patches: [], seenBy: [] }), () => control(harmless)]
      : []),
    ...mutants.map((mutant) => () => mutate(mutant)),
  ]);
  const killed = verdicts.filter(({ verdict }) => verdict.kind === "killed").length;
  const isSilent = Object.values(controls).every((spoke) => spoke.length === 0);
  const total = mutants.length;
  const tookMs = Math.round(performance.now() - startedMs);
  console.log(
    json
      ? JSON.stringify({ ...trial, killed, total, controls, verdicts, tookMs }, null, 2)
      : `killed ${killed}/${total}, controls silent: ${withControls ? isSilent : "not run"}, ${tookMs} ms`,
  );
  return killed === total && isSilent ? 0 : 1;
}

/** As many at a time as there are cores. */
async function sharedOut(queue: (() => Promise<void>)[]): Promise<void> {
  const work = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) await next();
  };
  await Promise.all(Array.from({ length: Math.max(1, availableParallelism()) }, work));
}

function told(verdict: Verdict): string {
  return verdict.kind === "killed"
    ? `${verdict.by} in schedule ${verdict.schedules - 1}`
    : verdict.why;
}

function spokenIn(judged: Awaited<ReturnType<typeof judge>>): string[] {
  return typeof judged === "string"
    ? [judged]
    : Object.entries(judged.spoke).map(([rule, evidence]) => `${rule}: ${evidence}`);
}

// Judges and their scratch copies are ended on the way out, whichever way that is (scratch.ts).
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130));

process.exitCode = await runCommand("mutants", { help, parseOptions, run });
