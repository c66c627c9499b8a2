// npm run soak -- [--letters 10000] [--kills 20] [--seed S] [--json]
//
// Makes dead letters on the local broker and drains them while killing the drain at random steps. Exits with 1 when one is lost, or left
// behind, or copied more often than a kill explains. The seed makes the same kills again.
import { parseArgs } from "node:util";
import { drainDeadLetters } from "./drain-dead-letters.ts";

const { values } = parseArgs({
  options: {
    letters: { type: "string", default: "10000" },
    kills: { type: "string", default: "20" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    json: { type: "boolean", default: false },
  },
});
const numbers = Object.entries({ ...values, json: 0 }).map(([name, text]) => [name, Number(text)]);
const wrong = numbers.find(([, value]) => !Number.isSafeInteger(value) || Number(value) < 0);
if (wrong !== undefined) {
  console.error(`--${wrong[0]}: give a whole number.`);
  process.exit(2);
}

const startedMs = performance.now();
const drained = await drainDeadLetters({
  letters: Number(values.letters),
  kills: Number(values.kills),
  seed: Number(values.seed),
  onProgress(moved) {
    if (!values.json) process.stderr.write(`\r${moved} of ${values.letters} moved `);
  },
});
const seconds = Math.round((performance.now() - startedMs) / 1000);
const isSafe = drained.lost === 0 && drained.left === 0 && drained.copiedTwice <= drained.kills;
console.log(
  values.json
    ? JSON.stringify({ ...drained, seconds, isSafe })
    : `\n${drained.letters} letters (seed ${drained.seed}), ${drained.kills} kills, ${drained.runs} runs, ${seconds} s: ` +
        `${drained.lost} lost, ${drained.left} left, ${drained.copiedTwice} sent twice; heap at most ${drained.heapPeakMegabytes} MB`,
);
process.exit(isSafe ? 0 : 1);
