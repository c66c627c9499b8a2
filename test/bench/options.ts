// The arguments of `npm run bench --`.
import { valuesOf, wholeNumber, wrong, type Parsed } from "../command-line.ts";

export interface Options {
  concurrency: number;
  providerLatencyMs: number;
  cases: number;
  /** Instances of the app. */
  workers: number;
  json: boolean;
  vsRestate: boolean;
  /** A folder for CPU profiles of every process. */
  profile?: string;
}

export const help = `Runs one kind of case through the app on the local Azure, closed loop, and measures it.

  npm run bench -- [--concurrency 64] [--provider-latency-ms 20] [--cases 1000] [--json] [--vs restate]

  --concurrency N           cases in flight (default 64)
  --provider-latency-ms L   how long each provider takes to answer (default 0)
  --cases M                 measured cases, after a warm-up (default 1000)
  --workers N               instances of the app (default 1)
  --vs restate              runs the same case on Restate, in the same run; its packages are installed into
                            .local/bench-rivals the first time
  --profile DIR             writes a CPU profile of every process there
  --json                    one line of JSON on standard output
`;

const spec = {
  concurrency: { type: "string", default: "64" },
  "provider-latency-ms": { type: "string", default: "0" },
  cases: { type: "string", default: "1000" },
  workers: { type: "string", default: "1" },
  vs: { type: "string" },
  profile: { type: "string" },
  json: { type: "boolean", default: false },
  help: { type: "boolean", short: "h", default: false },
} as const;

export function parseOptions(args: readonly string[]): Parsed<Options> {
  const values = valuesOf(args, spec);
  if (typeof values === "string") return wrong(values);
  if (values.help) return { kind: "help" };
  const numbers = [
    ["concurrency", 1],
    ["provider-latency-ms", 0],
    ["cases", 1],
    ["workers", 1],
  ] as const;
  for (const [name, least] of numbers) {
    if (wholeNumber(values[name], least, 1_000_000) !== undefined) continue;
    return wrong(`--${name} must be a whole number from ${least}`);
  }
  if (values.vs !== undefined && values.vs !== "restate") {
    return wrong("--vs knows one rival: restate");
  }
  return {
    kind: "run",
    options: {
      concurrency: Number(values.concurrency),
      providerLatencyMs: Number(values["provider-latency-ms"]),
      cases: Number(values.cases),
      workers: Number(values.workers),
      json: values.json,
      vsRestate: values.vs === "restate",
      ...(values.profile === undefined ? {} : { profile: values.profile }),
    },
  };
}
