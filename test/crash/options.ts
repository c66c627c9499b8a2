// The command line of the campaign: one clear sentence for what cannot be meant.
import { parseArgs } from "node:util";

export const help = `npm run crash -- [--real | --action NAME [--from FILE]] [--every N] [--lanes N] [--json]

Stops workers at every boundary of a turn and lets an auditor judge what became of the case. A boundary is a place where a
turn awaits something outside: a read, a write, the send gate, the call, a hint. Exits with 1 when a rule was broken, a
boundary was not reached or a fault did not strike; with 2 when the command cannot be understood.

  (nothing)       every boundary x contract (key, strong, eventual, none) x fault x one or two workers, in one process on
                  a virtual clock: seconds
  --real          the same with real worker processes on a local Azure: killed by SIGKILL, frozen by SIGSTOP until past
                  the call's deadline and past the horizon, on one machine and on two: minutes
  --action NAME   one action: its own contract on the virtual clock, then its own adapter with real workers
  --from FILE     where a team's own actions are: a module that exports "subjects" (each an action, its adapter, an example
                  and a stand-in for its provider). test/crash/real/subject.ts says how; copy test/crash/team/ledger.ts
  --every N       only every Nth combination, for a quick look (boundaries may then stay unreached)
  --lanes N       how many small local Azures run side by side with --real or --action; 2 to 16, 6 without it
  --json          {combinations, boundaries, reached, violations, kills, stops, unreached, notFired, tookMs, found}
`;

export interface Options {
  kind: "inProcess" | "real" | "action";
  action: string;
  from: string | undefined;
  every: number;
  lanes: number;
  json: boolean;
}

export type Parsed =
  | { kind: "help" }
  | { kind: "wrong"; why: string }
  | { kind: "run"; options: Options };

export function parseOptions(args: readonly string[]): Parsed {
  let values;
  try {
    ({ values } = parseArgs({
      args: [...args],
      options: {
        help: { type: "boolean", default: false, short: "h" },
        json: { type: "boolean", default: false },
        real: { type: "boolean", default: false },
        action: { type: "string" },
        from: { type: "string" },
        every: { type: "string", default: "1" },
        lanes: { type: "string", default: "6" },
      },
    }));
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return { kind: "wrong", why: error.message.split(". ")[0] ?? error.message };
  }
  const { action, from, json, real } = values;
  if (values.help) return { kind: "help" };
  const every = wholeNumber(values.every, 1, 10_000);
  const lanes = wholeNumber(values.lanes, 2, 16);
  if (every === undefined)
    return wrong(`--every takes a whole number from 1, not "${values.every}"`);
  if (lanes === undefined) return wrong(`--lanes takes 2 to 16, not "${values.lanes}"`);
  if (action === "") return wrong("--action takes the name of an action");
  if (real && action !== undefined)
    return wrong("--real is every contract, --action is one; give one of them");
  if (from !== undefined && action === undefined)
    return wrong("--from says where an action is; name it with --action");
  const kind = action === undefined ? (real ? "real" : "inProcess") : "action";
  return { kind: "run", options: { kind, action: action ?? "", from, every, lanes, json } };
}

function wrong(why: string): Parsed {
  return { kind: "wrong", why };
}

function wholeNumber(text: string, min: number, max: number): number | undefined {
  const value = /^\d{1,6}$/.test(text) ? Number(text) : NaN;
  return value >= min && value <= max ? value : undefined;
}
