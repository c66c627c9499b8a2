// `npm start`: a local Azure on this machine, the sample invoice exceptions through it, a table of
// what came of them, and then it serves until Ctrl-C (options.ts says what else it can do).
//
// Ends with one clear sentence and an exit code of its own for whatever the user can do something
// about; anything else is a defect and shows its stack.
import { join, relative } from "node:path";
import { startLocalAzure } from "./azure/local-azure.ts";
import type { LocalAzure } from "./azure/local-azure.ts";
import { choosePorts } from "./azure/ports.ts";
import { openStateFolder, runningFile, usualStatePath } from "./azure/state-folder.ts";
import type { StateFolder } from "./azure/state-folder.ts";
import { demoInvoices, ownerOf } from "./demo/ask-approvals.ts";
import { leaveWork } from "./demo/leave-work.ts";
import { help, readOptions } from "./options.ts";
import type { Options } from "./options.ts";
import { isAsExpected } from "./run/count-run.ts";
import type { RunResult } from "./run/count-run.ts";
import { runSamples } from "./run/run-samples.ts";
import { inRun, loadSamples } from "./run/samples.ts";
import { screenOn } from "./screen.ts";
import type { Screen } from "./screen.ts";
import { StopFault } from "./stop.ts";

const root = join(import.meta.dirname, "../..");
const usualState = join(root, usualStatePath);

/** Short where it lies in the project, whole where it does not. */
function shortPath(path: string): string {
  const short = relative(process.cwd(), path);
  return short.startsWith("..") ? path : short || ".";
}

/** The n-th time that samples are run on this state, counted from 1. */
async function nextRun(state: StateFolder): Promise<number> {
  const kept = (await state.readJson("runs.json")) as { runs: number } | undefined;
  const run = (kept?.runs ?? 0) + 1;
  await state.writeJson("runs.json", { runs: run });
  return run;
}

/** What the n-th run may call providers about, the demo's own cases included. */
async function targetsOf(run: number): Promise<string[]> {
  const samples = await loadSamples(run);
  const ofSamples = samples.flatMap(({ invoice, expected }) => [
    invoice,
    ...expected.intents.map(({ target }) => target),
  ]);
  const ofDemo = demoInvoices(run);
  return [...ofSamples, ...ofDemo, ...ofDemo.map(ownerOf)];
}

async function feedSamples(
  azure: LocalAzure,
  state: StateFolder,
  screen: Screen,
  signal: AbortSignal,
): Promise<RunResult> {
  const run = await nextRun(state);
  const samples = await loadSamples(run);
  const earlier = new Set(
    (await Promise.all(Array.from({ length: run - 1 }, (_, index) => targetsOf(index + 1)))).flat(),
  );
  const deliveryCount = samples.flatMap(({ deliveries }) => deliveries).length;
  screen.line();
  screen.line(
    `Feeding ${samples.length} cases, ${deliveryCount} signed deliveries and their copies:`,
  );
  let settledCount = 0;
  const { result, reasons } = await runSamples({
    azure,
    samples,
    signal,
    isOfEarlierRun: (target) => earlier.has(target),
    onSettled(sample, view) {
      settledCount += 1;
      screen.settled(sample, view, `${settledCount}/${samples.length}`);
    },
    onKill(sample, { pid, signal: how }) {
      screen.line(`         worker ${pid} ended by ${how} in mid-call (${sample.invoice})`);
    },
  });
  screen.result(result, reasons);
  return result;
}

/** Resolves with the signal's name when the user, or the system, wants it to end. */
function interruption(): { signal: AbortSignal; heard: Promise<void> } {
  const controller = new AbortController();
  const heard = new Promise<void>((resolve) => {
    for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
      process.on(name, () => {
        // Asked twice: the children end by themselves when we are gone.
        if (controller.signal.aborted) process.exit(130);
        controller.abort();
        resolve();
      });
    }
  });
  return { signal: controller.signal, heard };
}

async function serve(options: Options, state: StateFolder, screen: Screen): Promise<number> {
  const { signal, heard } = interruption();
  const interrupted = new StopFault("interrupted; what was started has been stopped.", 130);
  const ports = await choosePorts(options);
  const azure = await startLocalAzure({
    state,
    ports,
    otlp: options.otlp,
    say: (line) => screen.line(`  ${line}`),
    step: (what, detail) => screen.step(what, detail),
  });
  try {
    if (signal.aborted) throw interrupted;
    await state.writeJson(runningFile, { hostUrl: azure.hostUrl, pid: process.pid });
    const result = options.samples ? await feedSamples(azure, state, screen, signal) : undefined;
    if (options.json && result !== undefined) process.stdout.write(`${JSON.stringify(result)}\n`);
    if (options.once) return result !== undefined && isAsExpected(result) ? 0 : 1;
    const statePath = shortPath(state.path);
    const run = await runCount(state);
    if (options.samples) screen.waits(await leaveWork(azure, run, signal), azure, statePath);
    screen.tryNext(azure, {
      tenantId: "acme",
      source: "acme-erp",
      invoice: inRun(run, "INV-20931"),
      statePath,
    });
    await heard;
    return 0;
  } catch (error) {
    throw signal.aborted ? interrupted : error;
  } finally {
    screen.line();
    screen.line("Stopping ...");
    await azure.stop();
    await state.forget(runningFile);
  }
}

async function runCount(state: StateFolder): Promise<number> {
  return ((await state.readJson("runs.json")) as { runs: number } | undefined)?.runs ?? 1;
}

async function main(): Promise<number> {
  const options = readOptions(process.argv.slice(2));
  if (options.help) {
    process.stdout.write(help);
    return 0;
  }
  const screen = screenOn(options.json ? process.stderr : process.stdout);
  const isFresh = options.once && options.stateFolder === undefined;
  const state = await openStateFolder({
    inside: join(root, ".local"),
    ...(isFresh ? {} : { path: options.stateFolder ?? usualState }),
  });
  // On every way out, a second Ctrl-C included.
  process.once("exit", () => state.unlock());
  let exitCode = 1;
  try {
    screen.line("Countersign on a local Azure; nothing leaves this machine.");
    screen.step("state", shortPath(state.path));
    exitCode = await serve(options, state, screen);
    return exitCode;
  } finally {
    if (isFresh && exitCode === 0) await state.remove();
    else if (isFresh) screen.line(`Its state and logs are kept in ${shortPath(state.path)}.`);
  }
}

try {
  process.exit(await main());
} catch (error) {
  if (!(error instanceof StopFault)) throw error;
  process.stderr.write(`countersign: ${error.message}\n`);
  process.exit(error.exitCode);
}
