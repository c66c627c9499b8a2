// Runs inside a scratch copy: schedules, then a sample of crashes, until one of the named rules has spoken.
//
// Prints one line of JSON: which rules spoke, and the first evidence of each. Whatever throws ends this process, which
// proves nothing about a rule.
import { crash } from "../../crash/crash.ts";
import { simulate } from "../../simulation/simulate.ts";

export interface Judged {
  schedules: number;
  /** Rule to its first evidence. */
  spoke: Record<string, string>;
}

const [seedText = "1", untilText = "100", rulesText = ""] = process.argv.slice(2);
const wanted = rulesText.split(",").filter((rule) => rule !== "");
const judged: Judged = { schedules: 0, spoke: {} };
const isSeen = () => wanted.some((rule) => rule in judged.spoke);

for (let from = 0; from < Number(untilText) && !isSeen(); from += 1) {
  const range = { seed: Number(seedText), from, until: from + 1, step: 1, shrinks: false };
  const { violations } = await simulate(range);
  judged.schedules += 1;
  for (const { evidence, rule } of violations) judged.spoke[rule] ??= evidence;
}
if (!isSeen()) {
  const { found } = await crash({ every: 7 });
  for (const { evidence, rule } of found) judged.spoke[rule] ??= evidence;
}
console.log(JSON.stringify(judged));
