// What the API answers, as far as the console shows it; /api/openapi.json has it in full.
export const roles = ["reader", "operator", "approver", "overrider", "admin"] as const;
export type Role = (typeof roles)[number];
type Content = Record<string, unknown>;

export interface Problem {
  /** 0: no answer at all. */
  status: number;
  title: string;
  detail: string;
  type?: string;
  errors?: { field: string; detail: string }[];
}

export interface Me {
  id: string;
  name?: string;
  tenants: { tenantId: string; roles: Role[] }[];
  deploymentRoles?: Role[];
}

export interface ReviewRow {
  id: string;
  caseId: string;
  subject: string;
  kind: string;
  why: string;
  consequence: string;
  openedAtMs: number;
  externalRef: string;
  workflow: string;
  status: string;
}
export interface Reviews {
  reviews: ReviewRow[];
  next?: string;
}

export interface Attempt {
  n: number;
  fence: number;
  claimedAtMs: number;
  deadlineMs?: number;
  order?: { by: string; forced: boolean; confirmedBy?: string };
  end?: { kind: string; reason?: string; atMs: number };
}

export interface Effect {
  operationId: string;
  action: string;
  provider: string;
  account: string;
  status: string;
  reason?: string;
  target?: string;
  payload?: Content;
  payloadDigest: string;
  isSensitive: boolean;
  isHidden: boolean;
  attempts: Attempt[];
  mayHaveLeft: boolean;
  unknownSinceMs?: number;
  receipt?: { stage: string; providerId: string; content?: Content };
  contradicted?: { atMs: number; why: string };
}

export interface Finding {
  id: string;
  kind: string;
  says: string;
  by: string;
  foundAtMs: number;
  verdict?: string;
}

export interface Choice {
  how: string;
  isPermitted: boolean;
  why?: string;
  fromMs?: number;
  mayBeForced: boolean;
  consequence: string;
}

export interface ForceRequest {
  requestId: string;
  how: string;
  by: string;
  reason: string;
  atMs: number;
  isYours: boolean;
}

export interface Review {
  review: Omit<ReviewRow, "externalRef" | "workflow" | "status"> & {
    providerIds?: string[];
    resolution?: { how: string; by: string; atMs: number; reason?: string };
  };
  version: string;
  storeMs?: number;
  case: {
    externalRef: string;
    workflow: string;
    status: string;
    version: number;
    held?: string;
    requestedBy?: string;
  };
  effect?: Effect;
  findings: Finding[];
  contract?: { provider: string; says: string[]; horizonEndsAtMs?: number };
  choices: Choice[];
  waitsForTurn: boolean;
  forceRequests: ForceRequest[];
}

export interface ApprovalRow {
  id: string;
  caseId: string;
  version: number;
  action: string;
  target?: string;
  consequence: string;
  requestedBy: string;
  askedAtMs: number;
  expiresAtMs: number;
  answer?: { decision: string; by: string; atMs: number; reason?: string };
  externalRef: string;
  workflow: string;
  stands: boolean;
  mayAnswer: boolean;
}
export interface Approvals {
  approvals: ApprovalRow[];
  next?: string;
}
export interface Approval {
  approval: ApprovalRow;
  effect: Effect;
  facts?: Content;
  version: number;
}

export interface CaseRow {
  caseId: string;
  externalRef: string;
  workflow: { type: string };
  status: string;
  version: number;
  held?: { reason: string };
  openedAtMs: number;
}
export interface Cases {
  cases: CaseRow[];
  next?: string;
}

export interface Entry {
  lane: string;
  atMs: number;
  untilMs?: number;
  subject: string;
  what: string;
  by?: string;
  outcome?: string;
  id: string;
}
export interface TimeLine {
  case: {
    caseId: string;
    externalRef: string;
    workflow?: string;
    status: string;
    version: number;
    held?: string;
    dueAtMs?: number;
    facts?: Content;
  };
  storeMs?: number;
  effects: Effect[];
  entries: Entry[];
}

export interface Grant {
  id: string;
  subject: string;
  action: string;
  target: string;
  limits: Record<string, string>;
  grantedBy: string;
  grantedAtMs: number;
  expiresAtMs?: number;
  revoked?: { by: string; atMs: number; reason: string };
}

export interface OperatorRecord {
  id: string;
  caseId: string;
  action: string;
  subject: string;
  by: string;
  byName?: string;
  reason?: string;
  atMs: number;
  outcome: { kind: string; detail?: string };
}
export interface Records {
  records: OperatorRecord[];
  next?: string;
}

export interface Overview {
  atMs: number;
  sinceMs: number;
  openReviews: number;
  heldCases: number;
  openApprovals: number;
  unknown: { count: number; oldestSinceMs?: number };
  effects: Record<string, number>;
  confirmedAfterRetry: number;
  workDue: number;
}

export interface Queues {
  queues?: { name: string; active: number; scheduled: number; deadLettered: number }[];
}

export interface Drain {
  draining: boolean;
  drain?: { by: string; byName?: string; reason: string; sinceMs: number };
  inFlight: { count: number; isMore: boolean; lastDeadlineMs?: number };
  isQuiet: boolean;
  says: string;
}
