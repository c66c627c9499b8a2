// What the app says of each case, against what must have come of it, and against the journal: an
// effect that it calls confirmed was applied under that very operation, and whatever was applied
// belongs to an operation that the case knows.
import type { Entry } from "../../providers/faults.ts";
import { isInReview, statusOf } from "./case-api.ts";
import type { CaseView } from "./case-api.ts";
import { accountOf } from "./samples.ts";
import type { Sample } from "./samples.ts";

export interface EffectCounts {
  confirmed: number;
  rejected: number;
  unknown: number;
  cancelled: number;
}

export function effectCounts(views: Iterable<CaseView>): EffectCounts {
  const counts: EffectCounts = { confirmed: 0, rejected: 0, unknown: 0, cancelled: 0 };
  for (const { effects } of views) {
    for (const { status } of effects) {
      if (status !== "prepared" && status !== "started") counts[status] += 1;
    }
  }
  return counts;
}

/** Where a case is not (yet) what it must come to; empty: it is there. */
export function differences(sample: Sample, view: CaseView): string[] {
  const { expected } = sample;
  const wrong: string[] = [];
  const status = statusOf(view);
  if (status !== expected.status) wrong.push(`is ${status} instead of ${expected.status}`);
  if (isInReview(view) !== expected.inReview) {
    wrong.push(expected.inReview ? "is not in review" : "is in review");
  }
  const open = view.effects.filter(({ status: one }) => one === "prepared" || one === "started");
  if (open.length > 0) wrong.push(`has ${open.length} open effects`);
  const counts = effectCounts([view]);
  for (const one of ["confirmed", "rejected", "unknown", "cancelled"] as const) {
    if (counts[one] === expected.effects[one]) continue;
    wrong.push(`has ${counts[one]} ${one} effects instead of ${expected.effects[one]}`);
  }
  return wrong;
}

/** Claims without proof, and deeds without a claim. */
export function unproven(sample: Sample, view: CaseView, journal: readonly Entry[]): string[] {
  const wrong: string[] = [];
  const applied = journal.filter(({ event }) => event === "applied");
  for (const effect of view.effects) {
    if (effect.status !== "confirmed") continue;
    const proof = applied.some(
      (entry) =>
        entry.operation === effect.operationId &&
        entry.action === effect.action &&
        entry.target === effect.target,
    );
    if (!proof) wrong.push(`${effect.action} is called confirmed and was never applied`);
  }
  const operations = new Set(view.effects.map(({ operationId }) => operationId));
  for (const { action, target } of sample.expected.intents) {
    const account = accountOf(action, sample.tenantId);
    const strangers = applied.filter(
      (entry) =>
        entry.action === action &&
        entry.target === target &&
        entry.account === account &&
        !operations.has(entry.operation),
    );
    if (strangers.length > 0) wrong.push(`${action} was applied under an operation it has not`);
  }
  return wrong;
}
