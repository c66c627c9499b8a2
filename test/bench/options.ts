// The arguments of `npm run bench --`.
import { parseArgs } from "node:util";

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

export type Parsed =
  | { kind: "run"; options: Options }
  | { kind: "help" }
  | { kind: "wrong"; why: string };

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

export function parseOptions(args: readonly string[]): Parsed {
  let values;
  try {
    ({ values } = parseArgs({
      args: [...args],
      allowPositionals: false,
      options: {
        concurrency: { type: "string", default: "64" },
        "provider-latency-ms": { type: "string", default: "0" },
        cases: { type: "string", default: "1000" },
        workers: { type: "string", default: "1" },
        vs: { type: "string" },
        profile: { type: "string" },
        json: { type: "boolean", default: false },
        help: { type: "boolean", short: "h", default: false },
      },
    }));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (!code?.startsWith("ERR_PARSE_ARGS")) throw error;
    return { kind: "wrong", why: message.split(". ")[0] ?? message };
  }
  if (values.help) return { kind: "help" };
  const numbers = [
    ["concurrency", values.concurrency, 1],
    ["provider-latency-ms", values["provider-latency-ms"], 0],
    ["cases", values.cases, 1],
    ["workers", values.workers, 1],
  ] as const;
  for (const [name, text, least] of numbers) {
    const number = Number(text);
    if (Number.isInteger(number) && number >= least && number <= 1_000_000) continue;
    return { kind: "wrong", why: `--${name} must be a whole number from ${least}` };
  }
  if (values.vs !== undefined && values.vs !== "restate") {
    return { kind: "wrong", why: "--vs knows one rival: restate" };
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
