// npm run crash -- [--json] [--action NAME]
//
// Kills and holds workers at every await boundary of a turn, under every contract, in one process on a virtual clock.
// `--action` takes the contract of one action of the app's own book. Exits with 1 when a rule was broken, a boundary was
// not reached, or a fault did not strike.
import { parseArgs } from "node:util";
import { appActionNames, contractOfAction, kindOf } from "./app-contracts.ts";
import { crash, type CrashOptions } from "./crash.ts";

const { values } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    action: { type: "string" },
    every: { type: "string", default: "1" },
  },
});

const startedMs = performance.now();
const sum = await crash({ ...optionsOf(values.action), every: Number(values.every) });
const tookMs = Math.round(performance.now() - startedMs);
const { found, ...counts } = sum;

if (values.json)
  console.log(JSON.stringify({ ...counts, tookMs, found: found.slice(0, 20) }, null, 2));
else {
  console.log(
    `${sum.combinations} combinations, ${sum.reached} of ${sum.boundaries} boundaries, ${sum.kills} kills, ${sum.stops} stops, ${tookMs} ms: ${sum.violations} violations`,
  );
  for (const boundary of sum.unreached) console.log(`NOT REACHED: ${boundary}`);
  for (const { combination, evidence, rule } of found.slice(0, 20)) {
    console.log(`VIOLATION ${rule}: ${evidence}\n    ${JSON.stringify(combination)}`);
  }
}
process.exitCode = sum.violations + sum.unreached.length + sum.notFired > 0 ? 1 : 0;

function optionsOf(action: string | undefined): CrashOptions {
  if (action === undefined) return {};
  const contract = contractOfAction(action);
  if (contract === undefined) {
    throw new Error(`no action ${action}; there are: ${appActionNames.join(", ")}`);
  }
  return { kinds: [kindOf(contract)], contract };
}
