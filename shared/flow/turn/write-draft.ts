// Writes the draft as one batch, and settles an uncertain write by sending the same batch again (design.md 1, 6).
//
//   log entry 409   it was ours, even on the first send: the SDK may have repeated it
//   case 412        somebody else's; ours can never land
//   success         done now
//
// The batch carries its own name, so sending it again can at worst tell us that it had landed.
import { dueAtMsOf } from "../../domain/due.ts";
import { TransientFault } from "../../domain/faults.ts";
import { caseKeyText, hintIdOf, newWriteId } from "../../domain/identity.ts";
import { schemaVersion } from "../../domain/records/evidence.ts";
import { payloadTtlSeconds } from "../../domain/records/payload.ts";
import { caseOf, documentsOf, withCase, type Snapshot } from "../../domain/records/snapshot.ts";
import { endedPayloads } from "../../domain/transitions/payload-life.ts";
import type { Batch } from "../../stores/ports.ts";
import { countBatch, countSuperseded } from "../measure/count-batch.ts";
import { budgetLeftMs, handOn, nowMsOf, setStoreTime, turnFields } from "./turn.ts";
import type { Turn, TurnPorts } from "./turn.ts";

export type Flushed =
  /** It stands, and nobody wrote after it: go on from the draft. */
  | "written"
  /** It stands, and somebody has written since: read again. */
  | "overtaken"
  /** It never will stand: read again, and put what was learned into a finding. */
  | "superseded";

const resendPausesMs = [20, 100, 400, 1000, 2000, 4000];

export async function flush(
  ports: TurnPorts,
  turn: Turn,
  options: { keepCrashes?: boolean } = {},
): Promise<Flushed> {
  if (turn.draft === turn.base) return "written";
  if (options.keepCrashes !== true) turn.draft = withCase(turn.draft, { crashes: undefined });
  const nowMs = nowMsOf(ports, turn);
  if (nowMs === undefined)
    throw new TransientFault("the store told no time, so nothing is written");
  const dueBefore = turn.base.case?.dueAtMs;
  const dueAtMs = dueAtMsOf(turn.draft, ports.book, { nowMs, withheld: turn.withheld });
  const writeId = newWriteId();
  turn.draft = withCase(turn.draft, { dueAtMs, lastWriteId: writeId });
  const flushed = await settleWrite(ports, turn, batchOf(ports, turn, writeId, nowMs));
  if (flushed === "superseded") {
    countSuperseded(ports.telemetry, turn);
    return flushed;
  }
  countBatch(ports.telemetry, turn, nowMsOf(ports, turn) ?? nowMs);
  turn.evidence = undefined;
  turn.sealed.push(...turn.draft.payloads);
  turn.base = withoutClosed(turn.draft, turn.storeMs ?? nowMs);
  turn.draft = turn.base;
  if (dueAtMs !== dueBefore && !isHintedInTime(turn)) await hintWhenDue(ports, turn);
  return flushed;
}

/**
 * Writes before a turn stops or hands on, with this worker alive, even if there is nothing new: a crash that was counted when
 * it began was none, and a look that was due says when the next one is. Else four such turns would park a case whose provider
 * is only busy.
 */
export async function flushAlive(ports: TurnPorts, turn: Turn): Promise<Flushed> {
  const { crashes = 0, dueAtMs = Infinity } = turn.base.case ?? {};
  const isSeen = crashes > 0 || dueAtMs <= (nowMsOf(ports, turn) ?? 0);
  if (turn.draft === turn.base && isSeen) {
    turn.draft = withCase(turn.draft, { crashes: undefined });
  }
  return flush(ports, turn);
}

/** Where the budget left is too short for a call, the next turn makes it; undefined: there is time. */
export async function handedOnBefore(
  ports: TurnPorts,
  turn: Turn,
  callMs: number,
): Promise<"again" | { kind: "handedOn" } | undefined> {
  if (budgetLeftMs(ports, turn) >= callMs) return undefined;
  if ((await flushAlive(ports, turn)) !== "written") return "again";
  await handOn(ports, turn.key);
  return { kind: "handedOn" };
}

/**
 * A turn makes several calls, one after the other, and hints of the first one's deadline only: that hint comes before the later
 * deadlines, and whoever finds a call still in flight then hints of that one's (advance-case.ts). So no deadline is
 * without a hint under way, and a case that goes well costs one.
 */
function isHintedInTime({ base, hinted }: Turn): boolean {
  const { claim, dueAtMs = 0 } = base.case ?? {};
  return claim !== undefined && hinted !== undefined && hinted.dueAtMs <= dueAtMs;
}

async function settleWrite(ports: TurnPorts, turn: Turn, batch: Batch): Promise<Flushed> {
  for (const pauseMs of [...resendPausesMs, undefined]) {
    const outcome = await ports.at("write", () => ports.cases.write(batch));
    switch (outcome.kind) {
      case "committed":
        turn.caseEtag = outcome.caseEtag;
        setStoreTime(ports, turn, outcome.storeMs);
        return "written";
      case "superseded":
        return "superseded";
      case "alreadyWritten":
        return afterOwnWrite(ports, turn, batch);
      case "uncertain":
        if (pauseMs === undefined) {
          throw new TransientFault("the store did not say whether a batch landed", {
            ids: { caseKey: caseKeyText(turn.key), writeId: batch.log.id },
            cause: outcome.cause,
          });
        }
        ports.log.warn("a write is uncertain; sending the same batch again", turnFields(turn));
        await ports.at("pause", () => ports.sleep(Math.max(pauseMs, outcome.retryAfterMs ?? 0)));
    }
  }
  throw new Error("unreachable: the last pause is undefined");
}

/** Our batch had landed; its answer was lost. The case tells whether anybody wrote after it. */
async function afterOwnWrite(ports: TurnPorts, turn: Turn, batch: Batch): Promise<Flushed> {
  const head = await ports.at("headAfterWrite", () => ports.cases.head(turn.key));
  setStoreTime(ports, turn, head.storeMs);
  if (`log:${head.lastWriteId}` !== batch.log.id) return "overtaken";
  turn.caseEtag = head.caseEtag;
  return "written";
}

function batchOf(ports: TurnPorts, turn: Turn, writeId: string, nowMs: number): Batch {
  const before = new Map(documentsOf(turn.base).map((document) => [document.id, document]));
  const changed = documentsOf(turn.draft).filter(
    (document) => document.type !== "case" && before.get(document.id) !== document,
  );
  const record = caseOf(turn.draft);
  return {
    key: turn.key,
    caseEtag: turn.caseEtag,
    caseDocument: record,
    creates: changed.filter((document) => !before.has(document.id)),
    replaces: changed.filter((document) => before.has(document.id)),
    amends: endedPayloads(turn.base, turn.draft).map((id) => ({
      id,
      set: { ttl: payloadTtlSeconds },
    })),
    log: {
      id: `log:${writeId}`,
      type: "log",
      schemaVersion,
      tenantId: turn.key.tenantId,
      caseId: turn.key.caseId,
      atMs: nowMs,
      by: ports.workerId,
      fence: record.fence,
      version: record.version,
      status: record.status,
      did: [...turn.draft.did],
    },
  };
}

/** Would one more step risk a batch that no transaction takes (100 documents, 2 MB)? Each step adds well below a half. */
export function isNearlyFull(turn: Turn): boolean {
  const before = new Set(documentsOf(turn.base));
  const changed = documentsOf(turn.draft).filter((document) => !before.has(document));
  const bytes = changed.reduce((sum, document) => sum + bytesOf(document), 0);
  const count = changed.length + endedPayloads(turn.base, turn.draft).length;
  return count > documentsMax || bytes > bytesMax;
}

const documentsMax = 50;
const bytesMax = 512 * 1024;

/** Documents never change, so each is measured once. */
const measured = new WeakMap<object, number>();

function bytesOf(document: object): number {
  const known = measured.get(document) ?? Buffer.byteLength(JSON.stringify(document));
  measured.set(document, known);
  return known;
}

function withoutClosed(draft: Snapshot, writtenAtMs: number): Snapshot {
  const started = draft.effects.filter((effect) => effect.status === "started");
  return {
    ...draft,
    events: draft.events.filter((event) => event.folded === undefined),
    findings: draft.findings.filter((finding) => finding.folded === undefined),
    reviews: draft.reviews.filter((review) => review.resolution === undefined),
    payloads: [],
    // The answer's time is at or after the document's own `_ts`: a deadline from it is never early.
    writtenAtMs: {
      ...draft.writtenAtMs,
      ...Object.fromEntries(started.map((effect) => [effect.operationId, writtenAtMs])),
    },
    did: [],
  };
}

/** The date header has whole seconds: a hint at the very moment would come up to a second early. */
const hintSlackMs = 1100;

/** A lost hint loses nothing: the sweeper asks the store for the same `dueAtMs`. */
export async function hintWhenDue(ports: TurnPorts, turn: Turn): Promise<void> {
  const { dueAtMs, fence = 0 } = turn.base.case ?? {};
  if (dueAtMs === undefined) return;
  // With the fence: what is taken back for one claim is never another one's hint.
  const hint = { ...turn.key, hintId: hintIdOf(turn.key, "due", dueAtMs, fence), reason: "due" };
  try {
    const scheduled = await ports.at("scheduleHint", () =>
      ports.hints.schedule("cases", hint, dueAtMs + hintSlackMs),
    );
    turn.hinted = { dueAtMs, scheduled };
  } catch (error) {
    if (!(error instanceof TransientFault)) throw error;
    ports.log.warn("a hint could not be scheduled; the sweep will find it", turnFields(turn));
  }
}

/** Of a case that rests with nothing due: its hint would cost a message, a session and a read, and find nothing to do. */
export async function takeHintBack(ports: TurnPorts, turn: Turn): Promise<void> {
  const { base, hinted } = turn;
  if (hinted === undefined || base.case?.dueAtMs !== undefined) return;
  await ports.at("cancelHint", () => hinted.scheduled.cancel());
  delete turn.hinted;
}

/** For when the snapshot is known to be old, or an attempt has ended early. */
export async function writeAndReadAgain(ports: TurnPorts, turn: Turn): Promise<"again"> {
  await flush(ports, turn);
  return "again";
}
