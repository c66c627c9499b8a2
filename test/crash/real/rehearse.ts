// Before anything is stopped: the action must come to its good end when nobody disturbs it. An adapter that never does would
// break no rule, and be safe for nothing.
import type { Testimony, Violation } from "../../audit/testimony.ts";
import type { Lane } from "./lane.ts";
import { runTrial, type Ran } from "./run-trial.ts";

export type Rehearsed =
  | { kind: "works"; visited: readonly string[] }
  | { kind: "fails"; broken: Violation };

const worksUndisturbed = "worksUndisturbed";

/** On a busy machine a call may come to nothing, too. */
const triesMax = 3;
const runsNeeded = 2;

/** A busy machine may close the gate once and try again: the shorter of two runs is the calm one. */
export async function rehearse(lane: Lane, action: string): Promise<Rehearsed> {
  const good: Ran[] = [];
  let broken: Violation = { rule: worksUndisturbed, evidence: "" };
  for (let tries = 0; tries < triesMax && good.length < runsNeeded; tries += 1) {
    let seen: Testimony | undefined;
    const ran = await runTrial(lane, { action, situation: "calm" }, (one) => (seen = one));
    const failed = whyNot(ran, seen);
    if (failed === undefined) good.push(ran);
    else broken = failed;
  }
  const [shortest] = good.toSorted((a, b) => a.visited.length - b.visited.length);
  return shortest === undefined
    ? { kind: "fails", broken }
    : { kind: "works", visited: shortest.visited };
}

const wrong = (evidence: string): Violation => ({ rule: worksUndisturbed, evidence });

function whyNot({ violations }: Ran, seen: Testimony | undefined): Violation | undefined {
  const [broken] = violations;
  if (broken !== undefined) {
    return { ...broken, evidence: `even undisturbed, ${broken.evidence}` };
  }
  const effects = seen?.cases.flatMap(({ final }) => final?.snapshot.effects ?? []) ?? [];
  const reviews = seen?.cases.flatMap(({ final }) => final?.snapshot.reviews ?? []) ?? [];
  const [open] = effects.filter(({ status }) => status !== "confirmed");
  if (open === undefined)
    return effects.length > 0 ? undefined : wrong("its case came to no effect");
  const said = "reason" in open ? open.reason : undefined;
  const shown = reviews.find(({ subject }) => subject === open.operationId)?.why;
  const ends = open.attempts.map(({ end }) => end?.kind ?? "no end").join(", ");
  return wrong(
    `even undisturbed, its effect is ${open.status} (${said ?? shown ?? "no reason is known"}); its attempts: ${ends}; the stand-in's journal holds ${seen?.applied.length ?? 0} of it`,
  );
}
