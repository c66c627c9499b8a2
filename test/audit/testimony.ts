// What the auditor judges by: journals that no worker can touch, and what the store took in, in its order.
import type { Contract } from "../../shared/domain/contract.ts";
import type { Decision } from "../../shared/domain/definitions.ts";
import type { CaseKey } from "../../shared/domain/identity.ts";
import type { Answer, Finding, Receipt } from "../../shared/domain/records/evidence.ts";
import type { Grant } from "../../shared/domain/records/grant.ts";
import type { PacingLimits } from "../../shared/flow/turn/pacing.ts";
import type { Batch, CaseHistory } from "../../shared/stores/ports.ts";

/** One request as it reached a provider's door; `payload` is what came in, parsed. */
export interface Received {
  atMs: number;
  /** When it left the worker, behind the last gate. */
  sentAtMs: number;
  worker: string;
  provider: string;
  tenantId: string;
  operationId: string;
  action: string;
  target: string;
  payload: Readonly<Record<string, unknown>>;
  fence: number;
}

/** What a provider did in the world, once per entry. */
export interface Applied extends Omit<Received, "fence" | "sentAtMs" | "worker"> {
  providerId: string;
  /** When others can see it: an eventual look-up lags. */
  visibleAtMs: number;
}

/** One batch as the store took it, with the ETag that it gave the case. */
export interface Landed {
  atMs: number;
  /** When its worker first sent it, where that is known: it may land after the turn that wrote it. */
  sentAtMs?: number;
  batch: Batch;
  caseEtag: string;
}

export interface CaseTestimony {
  key: CaseKey;
  landed: readonly Landed[];
  /** Undefined: the store knows nothing of this case. */
  final: CaseHistory | undefined;
  /** Ids of the events that were durable. */
  events: readonly string[];
  /** What the workflow answered, by version; the same version may have been asked several times. */
  decisions: readonly { version: number; revision: number; decision: Decision }[];
  /** Does the workflow ask for what is missing, for everything again, or for what nobody may do? */
  decider: "rest" | "again" | "repeats" | "hasty";
}

/** One answer of a person, as it was sent and as it was taken. */
export interface PersonsAnswer {
  caseId: string;
  approvalId: string;
  answerId: string;
  by: string;
  decision: "approve" | "refuse";
  fromMs: number;
  untilMs: number;
  result: string;
}

/** One delivery in the hands of one worker. */
export interface TurnTaken {
  worker: string;
  caseId: string;
  fromMs: number;
  /** Not for the first time. */
  redelivered: boolean;
  lagVersions: number;
  /** Undefined: it never came to an end. */
  untilMs?: number;
  /** Came back, or was put off because a store or the broker did not answer. */
  failed?: boolean;
  /** Overtaken again and again, or its time was up: it left the case to whoever comes next. */
  handedOn?: boolean;
}

/** One place that pacing gave for one call. */
export interface Admitted {
  instance: string;
  worker: string;
  provider: string;
  fromMs: number;
  untilMs?: number;
  heard?: Answer["kind"];
}

export interface Testimony {
  endedAtMs: number;
  /** Faults have stopped and time has passed: whatever is going to happen has happened. */
  settled: boolean;
  cases: readonly CaseTestimony[];
  received: readonly Received[];
  applied: readonly Applied[];
  contracts: Readonly<Record<string, Contract>>;
  /** Each state of each grant, with the time from which it held. */
  grants: readonly { atMs: number; grant: Grant }[];
  /** Reads of one grant just now, as the send gate makes them. */
  gateReads: readonly { atMs: number; worker: string; grantId: string }[];
  /** Deliberate freezes of a worker between its gate and the socket. */
  freezes: readonly { worker: string; fromMs: number; toMs: number }[];
  /** A person's word, as it became durable. */
  statements: readonly { finding: Finding; forced: boolean }[];
  /** Receipts that reached a worker. */
  answered: readonly { worker: string; operationId: string; atMs: number }[];
  /** Workers that died, or that said they could not record what they knew. */
  lostWorkers: ReadonlySet<string>;
  /** Must a person approve an effect of a plan with this payload? */
  asksFirst(action: string, payload: Readonly<Record<string, unknown>>): boolean;
  /** Stands in every event; must be nowhere in a case that was erased. */
  privateNote: string;
  /** Stands in every sensitive payload; must be in clear nowhere in the store. */
  sealedNote: string;
  /** The payload keys that workers have at the end. */
  keyIds: ReadonlySet<string>;
  /** The sensitive payloads that were still there after another month; undefined: nobody looked. */
  lastingPayloads: ReadonlySet<string> | undefined;
  answers: readonly PersonsAnswer[];
  /** The facts of record, edited behind everybody's back: from then on they hold `edited`. */
  recordEdits: readonly { caseId: string; atMs: number; edited: number }[];
  /** Undefined: no worker was paced. */
  pacing: PacingLimits | undefined;
  admissions: readonly Admitted[];
  /** A system's word on when to come again, as the worker heard it. */
  askedForTime: readonly {
    worker: string;
    operationId: string;
    fence: number;
    atMs: number;
    retryAfterMs: number;
  }[];
  /** Each time that a model was asked. */
  advices: readonly {
    worker: string;
    caseId: string;
    atMs: number;
    revision: number;
    version: number;
  }[];
  /** Each read of a checkpoint; `revision` of the one that was found. */
  checkpoints: readonly { worker: string; atMs: number; id: string; revision?: number }[];
  /** Each schedule, by the source that its runs name. */
  timers: readonly { source: string; startsAtMs: number; everyMinutes: number }[];
  /** Each webhook of a system that the app said it has, with all times at which it came. */
  reports: readonly {
    operationId: string;
    providerId: string;
    stage: Receipt["stage"];
    by: string;
    deliveredAtMs: readonly number[];
  }[];
  erasures: readonly { caseId: string; atMs: number }[];
  turns: readonly TurnTaken[];
  workers: ReadonlyMap<string, { revision: number; instance: string }>;
  /** Faults of code that nobody may catch. */
  defects: readonly string[];
}

export interface Violation {
  rule: string;
  /** The records that show it, in a sentence. */
  evidence: string;
}
