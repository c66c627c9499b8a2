// npm run simulate -- --schedules N --seed S [--json]      many schedules, on all cores
// npm run simulate -- --seed S --schedule K [--only 3,7]   one of them again, with what happened in it
//
// Exits with 1 when a rule was broken, when a schedule had too few faults to prove anything, or when a run of a thousand or
// more never came to something that it is there for (README.md).
import { fork } from "node:child_process";
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { added, nothingYet, simulate, whyTooTame, type Range, type Simulated } from "./simulate.ts";

const { values } = parseArgs({
  options: {
    schedules: { type: "string", default: "1000" },
    seed: { type: "string", default: "1" },
    schedule: { type: "string" },
    only: { type: "string" },
    json: { type: "boolean", default: false },
    workers: { type: "string", default: String(Math.max(1, availableParallelism())) },
    "no-shrink": { type: "boolean", default: false },
  },
});

const seed = wholeNumber("seed", values.seed);

if (process.send !== undefined) {
  process.once("message", (range) => {
    void simulate(range as Range).then((sum) => process.send?.(sum, () => process.disconnect()));
  });
} else {
  const startedMs = performance.now();
  const sum =
    values.schedule === undefined
      ? await shared()
      : await one(wholeNumber("schedule", values.schedule));
  const tookMs = Math.round(performance.now() - startedMs);
  report(sum, tookMs);
}

function one(n: number): Promise<Simulated> {
  const places = values.only
    ?.split(",")
    .filter((text) => text !== "none")
    .map(Number);
  const range = {
    seed,
    from: n,
    until: n + 1,
    step: 1,
    shrinks: places === undefined && !values["no-shrink"],
  };
  return simulate(places === undefined ? range : { ...range, places });
}

/** Each process takes every nth schedule. */
async function shared(): Promise<Simulated> {
  const until = wholeNumber("schedules", values.schedules);
  const step = wholeNumber("workers", values.workers);
  const parts = Array.from({ length: step }, (_, from) =>
    inChild({ seed, from, until, step, shrinks: !values["no-shrink"] }),
  );
  return (await Promise.all(parts)).reduce(added, nothingYet());
}

function inChild(range: Range): Promise<Simulated> {
  return new Promise((resolve, reject) => {
    const child = fork(import.meta.filename, ["--seed", String(range.seed)]);
    child.once("message", (sum) => resolve(sum as Simulated));
    child.once("exit", (code) => reject(new Error(`a part of the simulation ended with ${code}`)));
    child.send(range);
  });
}

function report(sum: Simulated, tookMs: number): void {
  const schedulesPerSecond = Math.round((sum.schedules / tookMs) * 1000);
  const tooTame = values.only === undefined ? whyTooTame(sum) : undefined;
  if (values.json)
    console.log(JSON.stringify({ seed, ...sum, tookMs, schedulesPerSecond, tooTame }, null, 2));
  else {
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
  process.exitCode = sum.violations.length > 0 || tooTame !== undefined ? 1 : 0;
}

function told(what: string, counts: Readonly<Record<string, number>>): void {
  const most = Object.entries(counts).toSorted(([, a], [, b]) => b - a);
  console.log(`${what}: ${most.map(([name, n]) => `${name} ${n}`).join("; ")}`);
}

function wholeNumber(name: string, text: string): number {
  if (!/^\d+$/.test(text)) throw new Error(`--${name} must be a whole number.`);
  return Number(text);
}
