// The arguments of `npm start --`.
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { StopFault } from "./stop.ts";

export interface Options {
  /** Run the samples, report, end. */
  once: boolean;
  /** The last line on standard output is the report as JSON; all else goes to standard error. */
  json: boolean;
  samples: boolean;
  help: boolean;
  stateFolder?: string;
  portBase?: number;
  /** Of the user's own collector; without it, the local one. */
  otlp?: string;
}

export const help = `Starts a local Azure with the app in it, runs the sample invoice exceptions through it, and serves.

  npm start                        run the samples, then keep serving until Ctrl-C
  npm start -- --once --json       run them once on free ports, end with one line of JSON
                                   exit code 0 only if nothing was applied twice, lost or unexpected

  --once             end after the samples; fresh state, unless --state says otherwise
  --json             the last line of standard output is the result as one JSON object
  --no-samples       only serve
  --state DIR        where everything is kept (default .local/state); survives a restart
  --port-base N      use the ports N to N+5 (default 7071, 7080, 8081, 5672, 5673, 7090)
  --otlp URL         send telemetry to your own OTLP/HTTP collector instead of the local page
  --help             this text

Exit codes: 0 as expected, 1 not as expected, 2 wrong arguments, 3 a port, a folder or a second
copy is in the way, 130 interrupted before the run was over.
`;

function parsed(args: string[]): Record<string, string | boolean | undefined> {
  try {
    return parseArgs({
      args,
      allowPositionals: false,
      options: {
        once: { type: "boolean" },
        json: { type: "boolean" },
        "no-samples": { type: "boolean" },
        state: { type: "string" },
        "port-base": { type: "string" },
        otlp: { type: "string" },
        help: { type: "boolean", short: "h" },
      },
    }).values;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (!code?.startsWith("ERR_PARSE_ARGS")) throw error;
    throw new StopFault(`${message.split(". ")[0]}; see npm start -- --help.`, 2);
  }
}

function portBaseOf(text: string | boolean | undefined): { portBase?: number } {
  if (text === undefined) return {};
  const portBase = Number(text);
  if (!Number.isInteger(portBase) || portBase < 1024 || portBase > 65_530) {
    throw new StopFault("--port-base must be a whole number from 1024 to 65530.", 2);
  }
  return { portBase };
}

function otlpOf(text: string | boolean | undefined): { otlp?: string } {
  if (text === undefined) return {};
  const url = URL.parse(String(text));
  if (url?.protocol !== "http:" && url?.protocol !== "https:") {
    throw new StopFault("--otlp must be an address like http://127.0.0.1:4318.", 2);
  }
  return { otlp: url.href };
}

export function readOptions(args: string[]): Options {
  const values = parsed(args);
  const once = values["once"] === true;
  const samples = values["no-samples"] !== true;
  if (once && !samples) {
    throw new StopFault("--once runs the samples and --no-samples does not: choose one.", 2);
  }
  return {
    once,
    json: values["json"] === true,
    samples,
    help: values["help"] === true,
    ...(typeof values["state"] === "string" ? { stateFolder: resolve(values["state"]) } : {}),
    ...portBaseOf(values["port-base"]),
    ...otlpOf(values["otlp"]),
  };
}
