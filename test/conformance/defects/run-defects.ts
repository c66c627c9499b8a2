// Plants each defect into a copy of the stand-ins, and sees whether the suite turns red by the case that states the rule.
//
// A crash or a time-out is no catch, and neither is a suite that is red without a defect: first every case runs in an unpatched copy.
import { availableParallelism } from "node:os";
import { survives, type Verdict } from "../../mutants/mutate.ts";
import type { Mutant } from "../../mutants/mutants.ts";
import { cosmosDefects } from "./cosmos-defects.ts";
import { hostDefects } from "./host-defects.ts";
import { serviceBusDefects } from "./service-bus-defects.ts";

export const defects: readonly Mutant[] = [...serviceBusDefects, ...cosmosDefects, ...hostDefects];

const copied = ["local", "test/conformance", "test/mutants", "package.json"];
const roomOf = ({ file }: Mutant) => file.split("/")[1] ?? "";

export async function plant(mutant: Mutant): Promise<Verdict> {
  const name = `defect-${process.pid}-${defects.indexOf(mutant)}`;
  return await survives(name, {
    mutant,
    testFile: mutant.testFile,
    pattern: mutant.killedBy,
    copied,
  });
}

/** "it passed" is what an unpatched copy must say. */
export async function control(testFile: string, pattern = ""): Promise<string> {
  const name = `control-${process.pid}-${testFile.replaceAll(/\W/g, "-")}`;
  const verdict = await survives(name, { testFile, pattern, copied });
  return verdict.killed ? "a case fails without a defect" : verdict.why;
}

export async function runDefects(options: { only: string; json: boolean }): Promise<boolean> {
  const chosen = defects.filter((mutant) =>
    `${roomOf(mutant)}: ${mutant.rule}`.includes(options.only),
  );
  const controls: Record<string, string> = {};
  const verdicts: { without: string; caught: boolean; by: string }[] = [];
  const jobs = [
    ...Array.from(new Set(chosen.map(({ testFile }) => testFile)), (testFile) => async () => {
      controls[testFile] = await control(testFile);
    }),
    ...chosen.map((mutant) => async () => {
      const verdict = await plant(mutant);
      const without = `${roomOf(mutant)}: ${mutant.rule}`;
      const by = verdict.killed ? mutant.killedBy : verdict.why;
      verdicts.push({ without, caught: verdict.killed, by });
      if (!options.json) console.log(`${verdict.killed ? "caught" : "MISSED"}  ${without}: ${by}`);
    }),
  ];
  await Promise.all(
    Array.from({ length: availableParallelism() }, async () => {
      for (let job = jobs.shift(); job !== undefined; job = jobs.shift()) await job();
    }),
  );
  const red = Object.entries(controls).filter(([, said]) => said !== "it passed");
  const caught = verdicts.filter((verdict) => verdict.caught).length;
  if (options.json) console.log(JSON.stringify({ caught, total: chosen.length, red, verdicts }));
  else {
    for (const [testFile, said] of red) console.log(`CONTROL ${testFile}: ${said}`);
    console.log(
      `${caught}/${chosen.length} caught; the suite is green without a defect: ${red.length === 0}`,
    );
  }
  return caught === chosen.length && red.length === 0 && chosen.length > 0;
}
