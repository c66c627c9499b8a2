// One review with all that bears on it: the case as it is, what people have said of it, and what two people are about to force.
import type { CaseKey } from "../../../domain/identity.ts";
import type { Effect } from "../../../domain/records/effect.ts";
import type { Finding } from "../../../domain/records/evidence.ts";
import type { OperatorRecord } from "../../../domain/records/operator-record.ts";
import type { Review } from "../../../domain/records/review.ts";
import { findEffect, type Snapshot } from "../../../domain/records/snapshot.ts";
import type { OperatorStore } from "../../../stores/operator-ports.ts";
import type { CaseStore } from "../../../stores/ports.ts";
import type { Reply } from "../serve.ts";
import { ForceDetails, resolveAction } from "./resolution.ts";
import { reviewVersionOf } from "./review-version.ts";

export type Statement = Finding & { content: { kind: "statement" } };

export interface ForceRequest {
  record: OperatorRecord;
  details: ForceDetails;
}

export interface FoundReview {
  snapshot: Snapshot;
  storeMs: number | undefined;
  review: Review;
  effect: Effect | undefined;
  /** The review as it is now. */
  version: string;
  /** What people said of this review, the newest last: all but the last were refused by the turn. */
  statements: readonly Statement[];
  /** Asked for on the review as it is now, and waiting for a second person. */
  forceRequests: readonly ForceRequest[];
  records: readonly OperatorRecord[];
}

export const noSuchReview = {
  kind: "problem",
  problem: { status: 404, slug: "no-such-review", detail: "There is no such review." },
} as const satisfies Reply<never>;

export async function findReview(
  ports: { cases: CaseStore; operators: OperatorStore },
  key: CaseKey,
  reviewId: string,
): Promise<FoundReview | undefined> {
  const [history, records] = await Promise.all([
    ports.cases.history(key),
    ports.operators.recordsOf(key),
  ]);
  const review = history?.snapshot.reviews.find(({ id }) => id === reviewId);
  if (history === undefined || review === undefined) return undefined;
  const { snapshot, storeMs } = history;
  const version = reviewVersionOf(snapshot, review);
  return {
    snapshot,
    storeMs,
    review,
    effect: findEffect(snapshot, review.subject),
    version,
    statements: snapshot.findings.filter((finding): finding is Statement =>
      isAbout(finding, reviewId),
    ),
    forceRequests:
      review.resolution === undefined ? requestsOf(records, { reviewId, version }) : [],
    records,
  };
}

function isAbout({ content }: Finding, reviewId: string): boolean {
  return content.kind === "statement" && content.about?.reviewId === reviewId;
}

function requestsOf(
  records: readonly OperatorRecord[],
  { reviewId, version }: { reviewId: string; version: string },
): ForceRequest[] {
  return records
    .filter(
      ({ action, outcome, subject }) =>
        action === resolveAction && subject === reviewId && outcome.kind === "done",
    )
    .flatMap((record) => {
      const details = ForceDetails.safeParse(record.details).data;
      return details?.expectedVersion === version ? [{ record, details }] : [];
    })
    .toSorted((a, b) => a.record.atMs - b.record.atMs);
}

/** A directory's id says little to a person; the name they acted under stands in the record. */
export function nameOf(records: readonly OperatorRecord[], id: string): string {
  const name = records.find(({ by, byName }) => by === id && byName !== undefined)?.byName;
  return name === undefined ? id : `${name} (${id})`;
}
