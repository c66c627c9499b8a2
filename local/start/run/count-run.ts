// The result of a run: what the issue of every sample was, counted from outside the app.
//
//   providers' journals   applied twice, lost, sends            (count-intents.ts)
//   Cosmos request log    writes and reads of each case         (count-writes.ts)
//   the app's own API     cases, effects, reviews               (count-cases.ts)
//   the host              workers that ended, and by which signal
//
// Pure. Whatever is not as local/samples/expected.json says is one unexpected reason.
import type { Entry } from "../../providers/faults.ts";
import { isHeld, isInReview } from "./case-api.ts";
import type { CaseView, ReadWindow } from "./case-api.ts";
import { differences, effectCounts, unproven } from "./count-cases.ts";
import type { EffectCounts } from "./count-cases.ts";
import { countIntents } from "./count-intents.ts";
import { countWrites } from "./count-writes.ts";
import type { Post } from "./feed.ts";
import type { Kill } from "./kill-worker.ts";
import type { Sample } from "./samples.ts";
import type { StoreRequest } from "./watch.ts";

export interface RunFacts {
  samples: readonly Sample[];
  posts: readonly Post[];
  /** By sample name; a sample without a case is missing. */
  views: ReadonlyMap<string, CaseView>;
  journal: readonly Entry[];
  requests: readonly StoreRequest[];
  ownReads: readonly ReadWindow[];
  kills: readonly Kill[];
  workerExits: readonly { pid: number; code: number | null; signal: string | null }[];
  isOfEarlierRun?: (target: string) => boolean;
}

/** Exactly these keys, in this order, are the last line of `npm start -- --once --json`. */
export interface RunResult {
  cases: number;
  committed: number;
  inReview: number;
  effects: EffectCounts;
  deliveries: number;
  duplicateDeliveries: number;
  appliedTwice: number;
  lost: number;
  unexpected: number;
  writesPerCase: number;
  readsPerCase: number;
  kills: readonly Kill[];
}

const committedStatuses = new Set(["approved", "credit_requested", "withdrawn", "closed"]);

function isCommitted(view: CaseView): boolean {
  return committedStatuses.has(view.case.status) && !isHeld(view);
}

function wasTaken({ status }: Post): boolean {
  return status >= 200 && status < 300;
}

/** What intake says of a delivery that it took: whether it knew it already. */
function isDuplicate({ body }: Post): boolean {
  const answer = JSON.parse(body) as { duplicate?: unknown };
  return answer.duplicate === true;
}

function wrongPosts(posts: readonly Post[]): string[] {
  const wrong: string[] = [];
  const newCounts = new Map<string, number>();
  for (const post of posts) {
    const about = `${post.sample}: delivery ${post.deliveryId}`;
    if (!wasTaken(post)) {
      wrong.push(
        `${about} was answered ${post.status || "not at all"} (${post.body.slice(0, 200)})`,
      );
      continue;
    }
    newCounts.set(about, (newCounts.get(about) ?? 0) + (isDuplicate(post) ? 0 : 1));
  }
  for (const [about, count] of newCounts) {
    if (count !== 1) wrong.push(`${about} was taken as new ${count} times`);
  }
  return wrong;
}

function wrongCases(facts: RunFacts): string[] {
  return facts.samples.flatMap((sample) => {
    const view = facts.views.get(sample.name);
    if (view === undefined) return [`${sample.name}: there is no case for ${sample.invoice}`];
    const wrong = [...differences(sample, view), ...unproven(sample, view, facts.journal)];
    return wrong.map((one) => `${sample.name}: ${one}`);
  });
}

function wrongKills(facts: RunFacts): string[] {
  const wanted = facts.samples.filter(({ kill }) => kill !== undefined).length;
  const wrong: string[] = [];
  if (facts.kills.length !== wanted) {
    wrong.push(`${facts.kills.length} workers were killed in mid-call instead of ${wanted}`);
  }
  for (const { pid, signal } of facts.kills) {
    if (signal !== "SIGKILL") wrong.push(`worker ${pid} did not end by SIGKILL (${signal})`);
  }
  const killed = new Set(facts.kills.map(({ pid }) => pid));
  for (const { pid, code, signal } of facts.workerExits) {
    if (!killed.has(pid)) wrong.push(`worker ${pid} ended by itself (${signal ?? code})`);
  }
  return wrong;
}

export function countRun(facts: RunFacts): { result: RunResult; reasons: string[] } {
  const views = [...facts.views.values()];
  const intents = countIntents(facts.samples, facts.journal, facts.isOfEarlierRun);
  const store = countWrites(facts.samples, facts.views, facts.requests, facts.ownReads);
  const reasons = [
    ...wrongPosts(facts.posts),
    ...wrongCases(facts),
    ...intents.reasons,
    ...store.reasons,
    ...wrongKills(facts),
  ];
  return {
    reasons,
    result: {
      cases: views.length,
      committed: views.filter(isCommitted).length,
      inReview: views.filter(isInReview).length,
      effects: effectCounts(views),
      deliveries: facts.posts.length,
      duplicateDeliveries: facts.posts.filter((post) => wasTaken(post) && isDuplicate(post)).length,
      appliedTwice: intents.appliedTwice,
      lost: intents.lost,
      unexpected: reasons.length,
      writesPerCase: store.writesPerCase,
      readsPerCase: store.readsPerCase,
      kills: facts.kills,
    },
  };
}

export function isAsExpected({ appliedTwice, lost, unexpected }: RunResult): boolean {
  return appliedTwice === 0 && lost === 0 && unexpected === 0;
}
