// npm run crash -- --help says what it does and takes. Progress goes to standard error, the result to standard output.
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { runCommand } from "../command-line.ts";
import { contractKinds } from "../simulation/contracts.ts";
import { crash, kindOf } from "./crash.ts";
import { help, parseOptions, type Options } from "./options.ts";
import { adviceOn } from "./real/advice.ts";
import { crashBook } from "./real/app/workflow.ts";
import { campaign } from "./real/campaign.ts";
import { actionOfKind, shippedSubjects } from "./real/shipped.ts";
import { subjectsFrom, type Subject } from "./real/subject.ts";

interface Sum {
  combinations: number;
  boundaries: number;
  reached: number;
  violations: number;
  kills: number;
  stops: number;
  unreached: readonly string[];
  notFired: number;
  found: readonly { combination: object; rule: string; evidence: string }[];
}

/** The command names what is not there; told in a sentence. */
class UsageFault extends Error {}

const say = (line: string) => void process.stderr.write(`${line}\n`);

async function inProcess({ every }: Options): Promise<Sum> {
  return crash({ every });
}

async function real(
  { every, lanes, only }: Options,
  of: { subjects: readonly Subject[]; from?: string; actions: readonly string[] },
): Promise<Sum> {
  const sum = await campaign({ ...of, every, lanes, only, say });
  for (const combination of sum.notFired) say(`did not strike: ${JSON.stringify(combination)}`);
  return { ...sum, notFired: sum.notFired.length };
}

/** First the contract as it is on the virtual clock, then the adapter with real workers. */
async function ofAction(options: Options): Promise<Sum> {
  const from = options.from === undefined ? undefined : resolve(options.from);
  const subjects = await subjectsOf(from);
  const subject = subjects.find(({ action }) => action.name === options.action);
  if (subject === undefined) {
    const names = subjects.map(({ action }) => action.name).join(", ");
    throw new UsageFault(`there is no action ${options.action}; there are: ${names}`);
  }
  const actions = [options.action];
  const of = { subjects, actions, ...(from === undefined ? {} : { from }) };
  if (options.only !== undefined) return real(options, of);
  const { contract } = subject.provider("http://127.0.0.1:9");
  const virtual = await crash({ kinds: [kindOf(contract)], contract, every: options.every });
  const sum = await real(options, of);
  return {
    ...sum,
    combinations: sum.combinations + virtual.combinations,
    violations: sum.violations + virtual.violations,
    kills: sum.kills + virtual.kills,
    stops: sum.stops + virtual.stops,
    unreached: [...new Set([...sum.unreached, ...virtual.unreached])],
    notFired: sum.notFired + virtual.notFired,
    found: [...sum.found, ...virtual.found],
  };
}

async function subjectsOf(from: string | undefined): Promise<readonly Subject[]> {
  if (from === undefined) return shippedSubjects;
  if (!existsSync(from)) throw new UsageFault(`--from: there is no file ${from}`);
  try {
    const subjects = await subjectsFrom(from);
    assertWired(subjects);
    return subjects;
  } catch (error) {
    throw new UsageFault(`--from: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** As each worker wires them: what is wrong with a definition is told before one is started. */
function assertWired(subjects: readonly Subject[]): void {
  crashBook({
    subjects,
    connect: ({ provider }) => provider("http://127.0.0.1:9"),
    asked: async () => {},
    decided: async () => {},
  });
}

function run(options: Options): Promise<Sum> {
  switch (options.kind) {
    case "inProcess":
      return inProcess(options);
    case "real": {
      const actions = contractKinds.map((kind) => actionOfKind[kind]);
      return real(options, { subjects: shippedSubjects, actions });
    }
    case "action":
      return ofAction(options);
  }
}

/** A part of the combinations does not owe every boundary. */
function isWhole({ every, only }: Pick<Options, "every" | "only">): boolean {
  return every === 1 && only === undefined;
}

function print(sum: Sum, tookMs: number, { json, ...options }: Options): void {
  const { found, ...counts } = sum;
  if (json) {
    console.log(JSON.stringify({ ...counts, tookMs, found: found.slice(0, 20) }, null, 2));
    return;
  }
  console.log(
    `${sum.combinations} combinations, ${sum.reached} of ${sum.boundaries} boundaries, ${sum.kills} kills, ${sum.stops} stops, ${(tookMs / 1000).toFixed(1)} s: ${sum.violations} violations`,
  );
  if (isWhole(options)) {
    for (const boundary of sum.unreached) console.log(`NOT REACHED: ${boundary}`);
  }
  if (sum.notFired > 0) console.log(`DID NOT STRIKE: ${sum.notFired}`);
  const advised = new Set<string>();
  for (const { combination, evidence, rule } of found.slice(0, 20)) {
    console.log(`VIOLATION ${rule}: ${evidence}\n    ${JSON.stringify(combination)}`);
    const advice = options.kind === "action" ? adviceOn(rule) : undefined;
    if (advice !== undefined && !advised.has(rule)) console.log(`    What to do: ${advice}`);
    advised.add(rule);
  }
}

async function judged(options: Options): Promise<number> {
  const startedMs = performance.now();
  const sum = await run(options);
  print(sum, Math.round(performance.now() - startedMs), options);
  const unreached = isWhole(options) ? sum.unreached.length : 0;
  return sum.violations + unreached + sum.notFired > 0 ? 1 : 0;
}

// What is frozen is ended on the way out, whichever way that is (machine.ts).
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130));

try {
  // Not left to the event loop: the SDKs keep timers of their own.
  process.exit(await runCommand("crash", { help, parseOptions, run: judged }));
} catch (error) {
  if (!(error instanceof UsageFault)) throw error;
  say(`crash: ${error.message} (npm run crash -- --help).`);
  process.exit(2);
}
