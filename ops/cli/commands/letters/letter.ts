// Dead letters as the API shows and moves them.
import { z } from "zod";
import { pathOf } from "../../api.ts";

export const queues = ["cases", "reviews"] as const;
export type Queue = (typeof queues)[number];

export function queuesOf({ queue }: { queue?: Queue }): readonly Queue[] {
  return queue === undefined ? queues : [queue];
}

export function lettersPath(tenant: string, queue: Queue, ...rest: string[]): string {
  return pathOf("dead-letters", tenant, queue, ...rest);
}

export const Preview = z.looseObject({ verdict: z.string(), says: z.string() });

export const Letter = z.looseObject({
  sequenceNumber: z.string(),
  cause: z.string(),
  reason: z.string(),
  tenantId: z.string().optional(),
  caseId: z.string().optional(),
  deliveryCount: z.int(),
  resubmitCount: z.int(),
  firstSeenMs: z.int().optional(),
  lastSeenMs: z.int().optional(),
  preview: Preview.optional(),
});
export type Letter = z.output<typeof Letter>;

export const Cause = z.looseObject({
  cause: z.string(),
  reason: z.string(),
  description: z.string(),
  count: z.int(),
  firstSeenMs: z.int().optional(),
  lastSeenMs: z.int().optional(),
  resubmitCountMax: z.int(),
});
export type Cause = z.output<typeof Cause>;

export const Moved = z.looseObject({
  sequenceNumber: z.string(),
  outcome: z.string(),
  why: z.string().optional(),
  preview: Preview.optional(),
});
export type Moved = z.output<typeof Moved>;

export const MoveAnswer = z.looseObject({
  runId: z.string(),
  dryRun: z.boolean(),
  total: z.int(),
  resubmitted: z.int(),
  archived: z.int(),
  parked: z.int(),
  failed: z.int(),
  skipped: z.int(),
  letters: z.array(Moved),
  done: z.boolean(),
  next: z.string().optional(),
  isMore: z.boolean().optional(),
  left: z.int().optional(),
  stopped: z.string().optional(),
});
export type MoveAnswer = z.output<typeof MoveAnswer>;

export interface Filter {
  cause?: string;
  caseId?: string;
  sequenceNumbers?: string[];
}

/** What each of them is no hint of: another look would fail as the last one did. */
export const noHint = "noCase";
