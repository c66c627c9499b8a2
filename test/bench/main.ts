// npm run bench -- --help says what it does and takes. Progress goes to standard error, the result to standard output.
import { runCommand } from "../command-line.ts";
import { type AppResult, runApp } from "./app/run-app.ts";
import { cpuSource, loadAverage } from "./cpu.ts";
import { type RestateResult, runRestate } from "./restate/run-restate.ts";
import { help, parseOptions, type Options } from "./options.ts";

const say = (line: string) => void process.stderr.write(`${line}\n`);

async function run(options: Options): Promise<boolean> {
  const { json, vsRestate, ...rest } = options;
  const loadBefore = loadAverage();
  const app = await runApp(rest, say);
  const restate = vsRestate ? await runRestate(rest, say) : undefined;
  const report = {
    ...rest,
    cpu: cpuSource,
    load: { before: loadBefore, after: loadAverage() },
    app,
    ...(restate === undefined ? {} : { restate, ratio: ratioOf(app, restate) }),
  };
  console.log(json ? JSON.stringify(report) : report);
  return app.wrong.length === 0 && (restate?.wrong.length ?? 0) === 0;
}

/** Above one: the app is ahead. */
function ratioOf(app: AppResult, restate: RestateResult) {
  const ratio = (ours: number, theirs: number): number => Math.round((ours / theirs) * 100) / 100;
  const cpu = Object.values(restate.cpuMsPerCase).reduce((sum, one) => sum + one, 0);
  const ownCpu = Object.values(app.cpuMsPerCase).reduce((sum, one) => sum + one, 0);
  return {
    casesPerSecond: ratio(app.casesPerSecond, restate.casesPerSecond),
    p50: ratio(restate.p50Ms, app.p50Ms),
    /** All of the app's processes, stand-ins included, against all of Restate's. */
    cpu: ratio(cpu, ownCpu),
  };
}

process.exit(
  await runCommand("bench", {
    help,
    parseOptions,
    run: async (options) => ((await run(options)) ? 0 : 1),
  }),
);
