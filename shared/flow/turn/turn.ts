// One turn: one worker, one case, one snapshot, and the draft of the next batch (design.md 1, 6).
//
// A turn reads, lets `next` name steps, and writes their sum under the case's ETag. What it did not write is gone with it, and the
// next turn starts from the record. The one thing that it must never lose is what a provider answered: `evidence` stays set
// until a batch or a finding has it.
//
// Every await goes through `at`, which names the boundary: the crash tests stop a worker at each of them.
import type { Book } from "../../domain/definitions.ts";
import { TransientFault } from "../../domain/faults.ts";
import { type CaseKey, caseKeyText, hintIdOf } from "../../domain/identity.ts";
import type { Answer } from "../../domain/records/evidence.ts";
import type { Grant } from "../../domain/records/grant.ts";
import type { Payload } from "../../domain/records/payload.ts";
import type { Snapshot } from "../../domain/records/snapshot.ts";
import { keepTrouble } from "../measure/keep-trouble.ts";
import type { Pacing } from "./pacing.ts";
import type {
  CaseStore,
  ControlStore,
  GrantStore,
  HintQueue,
  ScheduledHint,
} from "../../stores/ports.ts";
import type { Fields, Telemetry } from "../../telemetry/telemetry.ts";

export type LogFields = Fields;

export interface Log {
  info(message: string, fields: LogFields): void;
  warn(message: string, fields: LogFields): void;
  error(message: string, fields: LogFields): void;
}

export interface TurnPorts {
  cases: CaseStore;
  grants: GrantStore;
  control: ControlStore;
  hints: HintQueue;
  book: Book;
  log: Log;
  telemetry: Telemetry;
  /** Never goes back; only differences mean anything. */
  monotonicMs(): number;
  sleep(ms: number): Promise<void>;
  /** Who writes; stands in each log entry. */
  workerId: string;
  turnBudgetMs: number;
  /** Absent: no limit and no breaker. */
  pacing?: Pacing;
  /** Whether several steps may share one batch; if not, each step is written by itself. */
  fused: boolean;
  /** Runs one named await boundary; the tests replace it to crash there. */
  at<Result>(boundary: string, act: () => Promise<Result>): Promise<Result>;
}

export type TurnResult =
  /** Nothing to do: the case is settled or held, or there is none. */
  | { kind: "idle" }
  | { kind: "waiting"; untilMs: number | undefined }
  /** Written by newer code: left alone. */
  | { kind: "left"; why: string }
  | { kind: "draining" }
  /** The turn's time is used up, or others keep writing: a hint to go on is on its way. */
  | { kind: "handedOn" };

export interface Evidence {
  operationId: string;
  attempt: number;
  answer: Answer;
}

export interface Turn {
  readonly key: CaseKey;
  readonly startedMonotonicMs: number;
  /** As the store has it. */
  base: Snapshot;
  /** The base with the steps that are not written yet. */
  draft: Snapshot;
  caseEtag: string | undefined;
  storeMs: number | undefined;
  storeMsReadAtMonotonicMs: number;
  draining: boolean;
  /** True until something is awaited after the read: until then `base` and the drain flag are as of now. */
  isFresh: boolean;
  /** Sensitive payloads that this turn has frozen and written. */
  sealed: Payload[];
  /** The last hint of a due time that this turn has scheduled. */
  hinted?: { dueAtMs: number; scheduled: ScheduledHint };
  /** Operation ids for which this turn found no grant or no payload. */
  withheld: Set<string>;
  /** Providers that are silent or busy, and until when. */
  paced: Map<string, number>;
  /** Action -> its grants as this turn has read them afresh, so that many effects that wait for one cost one read. */
  grantsRead: Map<string, readonly Grant[]>;
  evidence?: Evidence | undefined;
}

export async function openTurn(ports: TurnPorts, key: CaseKey): Promise<Turn> {
  const startedMonotonicMs = ports.monotonicMs();
  const [control, read] = await ports.at("read", () =>
    Promise.all([ports.control.read(), ports.cases.read(key)]),
  );
  keepTrouble(ports.telemetry, read.snapshot);
  return {
    key,
    startedMonotonicMs,
    base: read.snapshot,
    draft: read.snapshot,
    caseEtag: read.caseEtag,
    storeMs: read.storeMs,
    storeMsReadAtMonotonicMs: ports.monotonicMs(),
    draining: control.draining,
    isFresh: true,
    sealed: [],
    withheld: new Set(),
    paced: new Map(),
    grantsRead: new Map(),
  };
}

/** The ports of this turn: whatever is awaited through them ends `isFresh`. */
export function portsOf(ports: TurnPorts, turn: Turn): TurnPorts {
  return {
    ...ports,
    at(boundary, act) {
      turn.isFresh = false;
      return ports.at(boundary, act);
    },
  };
}

/** An estimate of the store's time that is never later than the truth; undefined when the store told none. */
export function nowMsOf(ports: TurnPorts, turn: Turn): number | undefined {
  if (turn.storeMs === undefined) return undefined;
  return Math.floor(turn.storeMs + ports.monotonicMs() - turn.storeMsReadAtMonotonicMs);
}

/** The header has whole seconds, so it may be behind the estimate. Neither is ever too late: the later one is the better. */
export function setStoreTime(ports: TurnPorts, turn: Turn, storeMs: number | undefined): void {
  if (storeMs === undefined || storeMs <= (nowMsOf(ports, turn) ?? 0)) return;
  turn.storeMs = storeMs;
  turn.storeMsReadAtMonotonicMs = ports.monotonicMs();
}

export function budgetLeftMs(ports: TurnPorts, turn: Turn): number {
  return ports.turnBudgetMs - (ports.monotonicMs() - turn.startedMonotonicMs);
}

export function turnFields(turn: Turn): LogFields {
  const record = turn.draft.case;
  return {
    caseKey: caseKeyText(turn.key),
    version: record?.version,
    fence: record?.fence,
    status: record?.status,
  };
}

/** Throws a TransientFault when the store told no time. */
export function requireNowMs(ports: TurnPorts, turn: Turn): number {
  const nowMs = nowMsOf(ports, turn);
  if (nowMs === undefined) throw new TransientFault("the store told no time");
  return nowMs;
}

/** Sends the hint with which another turn goes on from the record. */
export async function handOn(ports: TurnPorts, key: CaseKey): Promise<void> {
  const hint = { ...key, hintId: hintIdOf(key, "goOn", crypto.randomUUID()), reason: "go on" };
  await ports.at("handOn", () => ports.hints.send("cases", hint));
}
