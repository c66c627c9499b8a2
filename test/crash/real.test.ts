// A sample of `npm run crash -- --real`, and of `--action` with a team's own: real worker processes, killed and frozen.
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import type { Testimony } from "../audit/testimony.ts";
import { runAll, type Campaigned } from "./real/campaign.ts";
import { openLane } from "./real/lane.ts";
import { runTrial, type Combination, type Ran } from "./real/run-trial.ts";
import { actionOfKind, shippedSubjects } from "./real/shipped.ts";
import { subjectsFrom } from "./real/subject.ts";
import { completeBoundary, wireBoundary } from "./real/told.ts";

const team = join(import.meta.dirname, "team", "wrong-ledger.ts");
const { eventual, key, none, strong } = actionOfKind;

const at = (
  action: string,
  [boundary, visit]: readonly [string, number],
  change: Partial<Combination>,
): Combination => ({
  action,
  situation: "calm",
  boundary,
  visit,
  fault: "killed",
  machines: 1,
  ...change,
});

const teamSample: readonly Combination[] = [
  at("ledger.post_entry.v1", [wireBoundary, 1], {}),
  at("ledger.post_entry.v1", [wireBoundary, 1], { fault: "silent" }),
  at("ledger.fresh_key.v1", [wireBoundary, 1], {}),
  at("ledger.silence_is_no.v1", [wireBoundary, 1], { fault: "silent" }),
];

const sample: readonly Combination[] = [
  at(key, ["write", 1], {}),
  at(strong, ["gate", 1], { machines: 2 }),
  at(none, [wireBoundary, 1], {}),
  at(eventual, [wireBoundary, 1], { fault: "frozen", machines: 2 }),
  at(key, ["createCheckpoint", 1], {}),
  at(strong, ["write", 2], { fault: "frozen" }),
  at(eventual, ["scheduleHint", 1], { machines: 2 }),
  at(key, [completeBoundary, 1], {}),
];

/** Trials of one lane follow each other; the lanes run side by side. */
let sampled: Campaigned;
let missed: Campaigned;
let tried: Campaigned;
let frozen: Ran;
let seen: Testimony;
let denied: Ran;
let seenDenied: Testimony;
beforeAll(async () => {
  const lanes = await Promise.all([
    openLane({ subjects: shippedSubjects, machines: 1 }),
    openLane({ subjects: shippedSubjects, machines: 2 }),
    openLane({ subjects: await subjectsFrom(team), machines: 1, from: team }),
  ]);
  const [one, two, ofTeam] = lanes;
  try {
    const firsts = async () => {
      sampled = await runAll([one, two], sample, { named: [] });
      missed = await runAll([one], [at(key, ["write", 99], {})], { named: ["write"] });
      const freeze = at(none, ["send", 1], { fault: "frozenLong", machines: 2 });
      frozen = await runTrial(two, freeze, (testimony) => (seen = testimony));
      const no = at(none, ["send", 1], { fault: "frozenDenied", machines: 2 });
      denied = await runTrial(two, no, (testimony) => (seenDenied = testimony));
    };
    const seconds = async () => {
      tried = await runAll([ofTeam], teamSample, { named: [] });
    };
    await Promise.all([firsts(), seconds()]);
  } finally {
    await Promise.all(lanes.map((lane) => lane.close()));
  }
}, 300_000);

describe("a real worker", () => {
  test("killed or frozen where it stands breaks no rule, on one machine or two", () => {
    expect(sampled).toMatchObject({ found: [], notFired: [], combinations: 8, kills: 6, stops: 2 });
  });

  test("frozen between gate and socket sends late: shown as unknown, never a second time", () => {
    expect(frozen).toMatchObject({ fired: true, violations: [] });
    const [effect] = seen.cases[0]?.final?.snapshot.effects ?? [];
    const reviews = seen.cases[0]?.final?.snapshot.reviews ?? [];
    expect(seen.applied.filter(({ target }) => target === effect?.target)).toHaveLength(1);
    expect(effect?.attempts.map(({ end }) => end?.kind)).toEqual(["orphaned"]);
    expect(reviews.map(({ kind }) => kind)).toContain("UnknownEffect");
    // The call that left late told its own outcome: it settles what the person was shown.
    expect(effect?.status).toBe("confirmed");
  });

  test("that never comes to its boundary is told apart", () => {
    expect(missed).toMatchObject({ combinations: 0, reached: 0, unreached: ["write"] });
    expect(missed.notFired).toHaveLength(1);
  });
});

describe("a call that leaves a frozen worker after two people said that it never did", () => {
  test("is a contradiction that somebody is shown, and holds the case", () => {
    expect(denied).toMatchObject({ fired: true, violations: [] });
    const [{ final } = {}] = seenDenied.cases;
    const [effect, ...others] = final?.snapshot.effects ?? [];
    expect(effect).toMatchObject({ status: "rejected", settledBy: "person" });
    expect(effect?.contradicted).toBeDefined();
    expect(final?.snapshot.reviews).toContainEqual(
      expect.objectContaining({ kind: "Contradiction", subject: effect?.operationId }),
    );
    expect(seenDenied.applied).toHaveLength(1);
    expect(others).toEqual([]);
  });
});

describe("a team's own adapter", () => {
  const rulesOf = (action: string) =>
    tried.found.filter((one) => one.combination.action === action).map(({ rule }) => rule);

  test("that keeps its key breaks no rule", () => {
    expect(tried.notFired).toEqual([]);
    expect(rulesOf("ledger.post_entry.v1")).toEqual([]);
  });

  test("that makes a new key for each attempt is caught by name", () => {
    expect(rulesOf("ledger.fresh_key.v1")).toContain("appliedOnce");
  });

  test("that calls silence 'not applied' is caught by name", () => {
    expect(rulesOf("ledger.silence_is_no.v1")).toContain("appliedOnce");
  });
});
