// npm run simulate -- --help says what it does and takes. The result goes to standard output, and nothing else does.
import { fork } from "node:child_process";
import { runCommand } from "../command-line.ts";
import { help, parseOptions, type Options } from "./options.ts";
import { added, nothingYet, simulate, whyTooTame, type Range, type Simulated } from "./simulate.ts";

if (process.send === undefined)
  process.exitCode = await runCommand("simulate", { help, parseOptions, run });
else part();

/** One process of several; it ends with the one that asked for it. */
function part(): void {
  process.once("disconnect", () => process.exit());
  process.once("message", (range) => {
    void simulate(range as Range).then((sum) => process.send?.(sum, () => process.disconnect()));
  });
}

async function run(options: Options): Promise<number> {
  const startedMs = performance.now();
  const sum = await simulated(options);
  const tooTame = options.places === undefined ? whyTooTame(sum) : undefined;
  report(sum, options, { tookMs: Math.round(performance.now() - startedMs), tooTame });
  return sum.violations.length > 0 || tooTame !== undefined ? 1 : 0;
}

async function simulated({ places, schedule, ...options }: Options): Promise<Simulated> {
  const { schedules: until, seed, shrinks, workers: step } = options;
  if (schedule !== undefined) {
    const range = { seed, from: schedule, until: schedule + 1, step: 1, shrinks };
    return simulate(places === undefined ? range : { ...range, places });
  }
  // Each process takes every nth schedule.
  const parts = Array.from({ length: step }, (_, from) =>
    inChild({ seed, from, until, step, shrinks }),
  );
  return (await Promise.all(parts)).reduce(added, nothingYet());
}

function inChild(range: Range): Promise<Simulated> {
  return new Promise((resolve, reject) => {
    const child = fork(import.meta.filename);
    child.once("message", (sum) => resolve(sum as Simulated));
    child.once("exit", (code) => reject(new Error(`a part of the simulation ended with ${code}`)));
    child.send(range);
  });
}

function report(
  sum: Simulated,
  { json, seed }: Options,
  { tookMs, tooTame }: { tookMs: number; tooTame: string | undefined },
): void {
  const schedulesPerSecond = Math.round((sum.schedules / tookMs) * 1000);
  if (json) {
    console.log(JSON.stringify({ seed, ...sum, tookMs, schedulesPerSecond, tooTame }, null, 2));
    return;
  }
  console.log(
    `seed ${seed}: ${sum.schedules} schedules, ${sum.faults} faults (at least ${sum.faultsLeast} each), ${sum.visits} boundaries, ${tookMs} ms, ${schedulesPerSecond} a second`,
  );
  told("outcomes", sum.outcomes);
  told("faults", sum.faultKinds);
  told("happened", sum.happened);
  told("judged, by rule", sum.looked);
  for (const { events, evidence, replay, rule } of sum.violations) {
    console.log(`\nVIOLATION ${rule}: ${evidence}\n  ${replay}`);
    for (const event of events) console.log(`    ${JSON.stringify(event)}`);
  }
  if (tooTame !== undefined) console.log(`\nTOO TAME: ${tooTame}`);
  if (sum.violations.length === 0) console.log("no violation");
}

function told(what: string, counts: Readonly<Record<string, number>>): void {
  const most = Object.entries(counts).toSorted(([, a], [, b]) => b - a);
  console.log(`${what}: ${most.map(([name, n]) => `${name} ${n}`).join("; ")}`);
}
