// The two ways a plan ends (design.md 5, rules 4 and 6). Pure.
//
//   commit    every effect is confirmed: new status, version + 1, and, in the same batch, the outbox effects that the commit
//             justifies, so that no crash leaves anybody untold (seed 2, "Separate business state from notification delivery")
//   endPlan   the plan is stale or broken and nothing of it is on its way: cancel what is prepared, keep the rest as history,
//             version + 1, so that no version is decided twice
import type { Book } from "../definitions.ts";
import {
  caseOf,
  planEffects,
  withCase,
  withEffect,
  withLine,
  type Snapshot,
} from "../records/snapshot.ts";
import { prepareEffect, withPrepared } from "./prepare-effect.ts";
import { resolveHolds } from "./reviews.ts";
import { cancelled } from "./settle.ts";

const committedLine = "committed: ";

/** Whether the batch of this draft commits a plan. */
export function isCommitted({ did }: Snapshot): boolean {
  return did.some((line) => line.startsWith(committedLine));
}

export function commitPlan(snapshot: Snapshot, options: { book: Book }): Snapshot {
  const record = caseOf(snapshot);
  const { plan } = record;
  if (plan === undefined) throw new Error("commit without a plan");
  const version = record.version + 1;
  let committed = withCase(snapshot, { status: plan.nextStatus, version, plan: undefined });
  for (const [ordinal, request] of plan.notifications.entries()) {
    const place = { book: options.book, origin: "outbox", basis: version, ordinal } as const;
    committed = withPrepared(committed, prepareEffect(committed, request, place));
  }
  return withLine(committed, `${committedLine}${record.status} -> ${plan.nextStatus}, v${version}`);
}

export function endPlan(snapshot: Snapshot, options: { why: string; nowMs: number }): Snapshot {
  const record = caseOf(snapshot);
  let ended = withCase(snapshot, { plan: undefined, version: record.version + 1 });
  for (const effect of planEffects(snapshot)) {
    if (effect.status !== "prepared") continue;
    const reason = `its plan ended: ${options.why}`;
    const { nowMs } = options;
    const released = resolveHolds(ended, effect, { how: reason, by: "machine", atMs: nowMs });
    ended = withEffect(released, cancelled(effect, reason, nowMs));
  }
  return withLine(ended, `plan ended: ${options.why}; v${record.version + 1}`);
}
