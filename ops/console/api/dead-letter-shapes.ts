// What the API answers about dead letters, as far as the console shows it.

export interface Cause {
  cause: string;
  reason: string;
  description: string;
  count: number;
  firstSeenMs?: number;
  lastSeenMs?: number;
  resubmitCountMax: number;
}
export interface Causes {
  causes: Cause[];
  count: number;
  next?: string;
}

export interface Preview {
  verdict: string;
  says: string;
}
export interface Letter {
  sequenceNumber: string;
  messageId: string;
  tenantId?: string;
  caseId?: string;
  deliveryCount: number;
  resubmitCount: number;
  lastSeenMs?: number;
  body?: string;
  preview: Preview;
}
export interface Letters {
  deadLetters: Letter[];
  next?: string;
}

export const moveCounts = ["resubmitted", "archived", "parked", "failed", "skipped"] as const;
export type MoveCounts = Record<(typeof moveCounts)[number], number>;
export interface MoveAnswer extends MoveCounts {
  runId: string;
  total: number;
  letters: { sequenceNumber: string; outcome: string; why?: string; preview?: Preview }[];
  done: boolean;
  next?: string;
  left?: number;
  stopped?: string;
}

export interface Archived {
  archived: {
    id: string;
    tenantId: string;
    caseId: string;
    queue: string;
    sequenceNumber: string;
    how: string;
    by: string;
    why: string;
    atMs: number;
    /** Null for who only reads. */
    content: { reason?: string; body?: { text: string } } | null;
  }[];
  next?: string;
}
