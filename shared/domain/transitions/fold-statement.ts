// What a person states about a review, after looking (design.md 4). Pure.
//
// The policy that showed the choices is asked again here: since the person looked, an attempt may have been made or evidence may
// have come. A statement settles an effect only while there is no better evidence. It is kept as `settledBy: person` and
// counted apart, and later evidence may contradict it.
import { choicesOf, whyNotTaken } from "../decisions/choices.ts";
import type { ChoiceFacts } from "../decisions/verdicts.ts";
import { coreOf, type Effect } from "../records/effect.ts";
import type { Finding, Receipt } from "../records/evidence.ts";
import type { Review } from "../records/review.ts";
import {
  caseOf,
  findEffect,
  withCase,
  withEffect,
  withLine,
  type Snapshot,
} from "../records/snapshot.ts";
import { afterPlan } from "./after-plan.ts";
import { resolveHolds, resolveReview } from "./reviews.ts";
import { cancelled, confirm, reject } from "./settle.ts";

export type FoldOptions = ChoiceFacts;

type StatementContent = Finding["content"] & { kind: "statement" };

interface Stating {
  finding: Finding;
  content: StatementContent;
  review: Pick<Review, "id" | "kind" | "subject" | "providerIds">;
  options: FoldOptions;
}

/** The snapshot with the statement folded, or a text that says why it was refused. */
export function foldStatement(
  snapshot: Snapshot,
  finding: Finding,
  options: FoldOptions,
): Snapshot | string {
  const { content } = finding;
  if (content.kind !== "statement" || snapshot.case === undefined) return snapshot;
  const effect = findEffect(snapshot, finding.operationId);
  const review = reviewOf(snapshot, finding, { content, effect });
  if (review === undefined) return "refused: the review that it is about is not open";
  const stating = { finding, content, review, options };
  const why = whyRefused(snapshot, effect, stating);
  if (why !== undefined) return `refused: ${why}`;
  if (effect === undefined) return foldForCase(snapshot, stating);
  const known = withForeignIds(effect, review);
  return foldFor(withEffect(snapshot, known), known, stating);
}

/** Why the statement settles nothing: the record has changed since the person looked, or the choice is not permitted (any more). */
function whyRefused(
  snapshot: Snapshot,
  effect: Effect | undefined,
  { content, finding, options, review }: Stating,
): string | undefined {
  const { about, confirmedBy, statement } = content;
  if (about !== undefined && about.attempts !== (effect?.attempts.length ?? 0)) {
    return "another attempt was made since";
  }
  const { toldIds } = about ?? {};
  if (toldIds !== undefined && toldIds !== (review.providerIds ?? []).length) {
    return "something else was told of it since";
  }
  const isForced = "forced" in statement && statement.forced;
  if (isForced && (confirmedBy ?? finding.by) === finding.by) {
    return "what is forced takes a second person";
  }
  return whyNotTaken(choicesOf(snapshot, review, options), statement)?.why;
}

/** Resolved reviews are not read again, so the effect keeps the provider ids that this one was about. */
function withForeignIds(effect: Effect, { providerIds }: Stating["review"]): Effect {
  if (providerIds === undefined) return effect;
  return { ...effect, foreignIds: [...new Set([...(effect.foreignIds ?? []), ...providerIds])] };
}

/** The review that the statement names, else the one that holds the effect; a stand-in for an effect that none holds yet. */
function reviewOf(
  snapshot: Snapshot,
  { operationId }: Finding,
  { content, effect }: { content: StatementContent; effect: Effect | undefined },
): Stating["review"] | undefined {
  const id = content.about?.reviewId ?? effect?.reviewRef;
  if (id === undefined) return { id: "", kind: "UnknownEffect", subject: operationId };
  return snapshot.reviews.find(
    (review) =>
      review.id === id && review.subject === operationId && review.resolution === undefined,
  );
}

function resolvedBy(
  snapshot: Snapshot,
  { content, finding, options, review }: Stating,
  how: string,
) {
  const { confirmedBy, reason } = content;
  return resolveReview(snapshot, review.id, {
    how: confirmedBy === undefined ? how : `${how} (forced, with ${confirmedBy})`,
    by: finding.by,
    atMs: options.nowMs,
    reason,
  });
}

function foldForCase(snapshot: Snapshot, stating: Stating): Snapshot {
  switch (stating.content.statement.kind) {
    case "release":
      return release(snapshot, stating);
    case "acknowledge":
      return resolvedBy(snapshot, stating, "seen");
    case "happened":
    case "didNotHappen":
    case "retry":
    case "lookAgain":
    case "abandon":
      return snapshot;
  }
}

/** While the case was parked its unknown effects went to a person; from now on `recover` decides about them again. */
function recoverAgain(snapshot: Snapshot, { finding, options }: Stating): Snapshot {
  if (caseOf(snapshot).held?.reason !== "Poison") return snapshot;
  const resolution = { how: "released: judged again", by: finding.by, atMs: options.nowMs };
  return snapshot.effects.reduce((after, effect) => {
    const review = after.reviews.find(({ id }) => id === effect.reviewRef);
    if (effect.status !== "unknown" || review?.kind !== "UnknownEffect") return after;
    return freed(resolveReview(after, review.id, resolution), effect, {});
  }, snapshot);
}

/** A case that has been decided on this version needs a new version to be decided again; any other goes on where it stood. */
function release(snapshot: Snapshot, stating: Stating): Snapshot {
  const record = caseOf(snapshot);
  const resolved = recoverAgain(resolvedBy(snapshot, stating, "released: tried again"), stating);
  const isDecided = record.plan === undefined && record.decidedVersion === record.version;
  const isDecidedAnew = isDecided || record.held?.reason === "RepeatedIntent";
  return withCase(resolved, {
    held: undefined,
    crashes: undefined,
    decideRetry: undefined,
    decisionsWithoutProgress: 0,
    version: record.version + (isDecidedAnew ? 1 : 0),
  });
}

function foldFor(snapshot: Snapshot, effect: Effect, stating: Stating): Snapshot {
  const { content, finding, options } = stating;
  const { nowMs } = options;
  const { statement } = content;
  const by =
    content.confirmedBy === undefined ? finding.by : `${finding.by}, ${content.confirmedBy}`;
  const { reviewRef: _resolved, ...core } = coreOf(effect);
  switch (statement.kind) {
    case "happened": {
      const resolved = resolvedBy(snapshot, stating, "stated: it happened");
      const receipt = statedReceipt(effect, { providerId: statement.providerId, by, content });
      const told = { receipt, settledBy: "person", nowMs, book: options.book } as const;
      const confirmed = confirm(resolved, core, told);
      return afterPlan(confirmed, effect, options);
    }
    case "didNotHappen": {
      const resolved = resolvedBy(snapshot, stating, "stated: it did not happen");
      const reason = `stated by ${by}: ${content.reason}`;
      const told = { reason, settledBy: "person", nowMs, book: options.book } as const;
      return afterPlan(reject(resolved, core, told), effect, options);
    }
    case "retry": {
      const { confirmedBy } = content;
      const order = {
        by: finding.by,
        forced: statement.forced,
        attempts: effect.attempts.length,
        ...(confirmedBy === undefined ? {} : { confirmedBy }),
      };
      return freed(resolvedBy(snapshot, stating, "retry ordered"), effect, { retryOrder: order });
    }
    case "lookAgain":
      return freed(resolvedBy(snapshot, stating, "asked to look again"), effect, {
        lookups: undefined,
      });
    case "abandon":
      return abandon(resolvedBy(snapshot, stating, "abandoned"), effect, { by, content, nowMs });
    case "acknowledge":
      return acknowledge(resolvedBy(snapshot, stating, "seen"), stating);
    case "release":
      return snapshot;
  }
}

function statedReceipt(
  effect: Effect,
  { by, content, providerId }: { providerId: string; by: string; content: StatementContent },
): Receipt {
  const { operationId, payloadDigest, target } = effect;
  return {
    stage: "accepted",
    providerId,
    boundTo: { operationId, target, payloadDigest },
    content: { statedBy: by, reason: content.reason },
  };
}

/** No review holds the effect any more: the machine goes on with it. */
function freed(snapshot: Snapshot, effect: Effect, change: object): Snapshot {
  const { reviewRef: _resolved, ...rest } = effect;
  return withEffect(snapshot, { ...rest, ...change });
}

function abandon(
  snapshot: Snapshot,
  effect: Effect,
  { by, content, nowMs }: { by: string; content: StatementContent; nowMs: number },
): Snapshot {
  const { reviewRef: _resolved, ...held } = effect;
  const free = resolveHolds(snapshot, held, { how: "given up", by, atMs: nowMs });
  if (effect.status === "prepared") {
    // Unlike a rejected notification a cancelled one opens no review: it would only tell this same person.
    const given = withEffect(
      free,
      cancelled(effect, `given up by ${by}: ${content.reason}`, nowMs),
    );
    return withLine(given, `cancelled ${effect.action}: given up by ${by}`);
  }
  const holds = { grantHold: undefined, payloadHold: undefined };
  return freed(free, effect, { abandonedBy: by, ...holds });
}

/** A contradiction that a person has seen holds nothing any more; the new version lets the next decision see it, too. */
function acknowledge(snapshot: Snapshot, { review }: Stating): Snapshot {
  if (review.kind !== "Contradiction") return snapshot;
  const record = caseOf(snapshot);
  return withCase(snapshot, {
    contradictionsOpen: Math.max(0, record.contradictionsOpen - 1),
    version: record.version + 1,
  });
}
