// What the auditor judges by: journals that no worker can touch, and what the store took in, in its order.
import type { Contract } from "../../shared/domain/contract.ts";
import type { Decision } from "../../shared/domain/definitions.ts";
import type { CaseKey } from "../../shared/domain/identity.ts";
import type { Finding } from "../../shared/domain/records/evidence.ts";
import type { Grant } from "../../shared/domain/records/grant.ts";
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
  decisions: readonly { version: number; decision: Decision }[];
  /** Does the workflow still ask for what is missing, or for everything again each time? */
  decider: "rest" | "again";
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
  /** How many messages came back from their workers. */
  redeliveries: number;
  /** Faults of code that nobody may catch. */
  defects: readonly string[];
}

export interface Violation {
  rule: string;
  /** The records that show it, in a sentence. */
  evidence: string;
}
