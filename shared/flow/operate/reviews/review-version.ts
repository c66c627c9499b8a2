// A review as somebody saw it: whatever could change that person's mind changes this text.
import type { Review } from "../../../domain/records/review.ts";
import { findEffect, type Snapshot } from "../../../domain/records/snapshot.ts";

export function reviewVersionOf(snapshot: Snapshot, { subject }: Pick<Review, "subject">): string {
  const effect = findEffect(snapshot, subject);
  const findings = snapshot.findings.filter(
    // What people say of it is judged by itself.
    ({ content, operationId }) => operationId === subject && content.kind !== "statement",
  );
  const parts = [
    `v${snapshot.case?.version ?? 0}`,
    `a${effect?.attempts.length ?? 0}`,
    `f${findings.length}`,
    effect?.status ?? snapshot.case?.held?.reason ?? "open",
  ];
  return parts.join(".");
}
