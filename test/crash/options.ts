// The command line of the campaign: one clear sentence for what cannot be meant.
import { z } from "zod";
import { valuesOf, wholeNumber, wrong, type Parsed } from "../command-line.ts";
import { strikeKinds, trialSituations } from "./real/run-trial.ts";

export const help = `npm run crash -- [--real | --action NAME [--from FILE]] [--every N] [--only JSON] [--lanes N] [--json]

Stops workers at every boundary of a turn and lets an auditor judge what became of the case. A boundary is a place where a
turn awaits something outside: a read, a write, the send gate, the call, a hint. Exits with 1 when a rule was broken, a
boundary was not reached or a fault did not strike; with 2 when the command cannot be understood.

  (nothing)       every boundary x contract (key, strong, eventual, none) x fault x one or two workers, in one process on
                  a virtual clock: seconds
  --real          the same with real worker processes on a local Azure: killed by SIGKILL, frozen by SIGSTOP until past
                  the call's deadline and past the horizon, on one machine and on two: minutes
  --action NAME   one action: its own contract on the virtual clock, then its own adapter with real workers
  --from FILE     where a team's own actions are: a module that exports "subjects" (each an action, its adapter, an example
                  and a stand-in for its provider). test/crash/real/subject.ts says how; copy
                  test/workflows/refund-request/subjects.ts
  --every N       only every Nth combination, for a quick look (boundaries may then stay unreached)
  --only JSON     with --real or --action: only the real combinations with these fields, as a violation prints them;
                  '{"boundary":"gate","fault":"frozen"}' is every freeze before a gate, a whole one starts at once
  --lanes N       how many small local Azures run side by side with --real or --action; 2 to 16, 8 without it
  --json          {combinations, boundaries, reached, violations, kills, stops, unreached, notFired, tookMs, found}
`;

/** Fields of a combination with real workers. */
const Only = z
  .strictObject({
    action: z.string().min(1),
    situation: z.enum(trialSituations),
    boundary: z.string().min(1),
    visit: z.int().min(1),
    fault: z.enum(strikeKinds),
    machines: z.union([z.literal(1), z.literal(2)]),
  })
  .partial();
export type Only = z.infer<typeof Only>;

export interface Options {
  kind: "inProcess" | "real" | "action";
  action: string;
  from: string | undefined;
  every: number;
  only: Only | undefined;
  lanes: number;
  json: boolean;
}

export function parseOptions(args: readonly string[]): Parsed<Options> {
  const values = valuesOf(args, {
    help: { type: "boolean", default: false, short: "h" },
    json: { type: "boolean", default: false },
    real: { type: "boolean", default: false },
    action: { type: "string" },
    from: { type: "string" },
    every: { type: "string", default: "1" },
    only: { type: "string" },
    lanes: { type: "string", default: "8" },
  });
  if (typeof values === "string") return wrong(values);
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
  const only = onlyOf(values.only);
  if (typeof only === "string") return wrong(`--only ${only}`);
  if (only !== undefined && kind === "inProcess")
    return wrong("--only is about real workers; give --real or --action with it");
  return { kind: "run", options: { kind, action: action ?? "", from, every, only, lanes, json } };
}

/** Text: what is wrong with it. */
function onlyOf(text: string | undefined): Only | string | undefined {
  if (text === undefined) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return `takes JSON such as {"boundary":"gate"}, not ${text}`;
  }
  const { data, error } = Only.safeParse(value);
  if (error === undefined) return data;
  const [issue] = error.issues;
  return `${issue?.path.join(".") ?? ""}: ${issue?.message ?? "cannot be understood"}`;
}
