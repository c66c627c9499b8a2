// One mutant from patch to verdict, in a scratch copy of its own.
import type { Judged } from "./judge.ts";
import type { Patch, SafetyMutant } from "./mutant.ts";
import { inScratch, runsForMs } from "./scratch.ts";

export type Verdict =
  | { kind: "killed"; by: string; evidence: string; schedules: number }
  | { kind: "survived"; why: string };

export interface Trial {
  seed: number;
  schedules: number;
}

export async function runMutant(mutant: SafetyMutant, trial: Trial): Promise<Verdict> {
  const judged = await judge(mutant.patches, { ...trial, rules: mutant.seenBy });
  if (typeof judged === "string") return { kind: "survived", why: judged };
  const [by] = mutant.seenBy.filter((rule) => rule in judged.spoke);
  if (by !== undefined) {
    return { kind: "killed", by, evidence: judged.spoke[by] ?? "", schedules: judged.schedules };
  }
  const others = Object.keys(judged.spoke).join(", ") || "no rule";
  return { kind: "survived", why: `${others} spoke` };
}

/** What the auditor says of a patched copy; a text when the copy could not be judged at all. */
export async function judge(
  patches: readonly Patch[],
  { rules, schedules, seed }: Trial & { rules: readonly string[] },
): Promise<Judged | string> {
  const args = [String(seed), String(schedules), rules.join(",")];
  const { code, errors, output } = await inScratch(patches, (runScript) =>
    runScript("test/mutants/safety/judge.ts", args),
  );
  if (code === null) return `it was still running after ${runsForMs} ms`;
  if (code !== 0)
    return `its process ended with ${code}: ${errors.trim().split("\n").slice(-8).join(" ")}`;
  return JSON.parse(output) as Judged;
}
