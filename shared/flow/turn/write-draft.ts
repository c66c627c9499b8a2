// Writes the draft as one batch, and settles an uncertain write by sending the same batch again (design.md 1, 6).
//
//   success                done now
//   409 on the log entry   it had landed before, even on the first send: the SDK may have repeated it
//   412 on the case        somebody else wrote first; ours can never land
//
// The log entry names the batch, so sending it again can at worst tell us that it had landed.
import { dueAtMsOf } from "../../domain/due.ts";
import { TransientFault } from "../../domain/faults.ts";
import { caseKeyText, newWriteId } from "../../domain/identity.ts";
import { withCase, type Snapshot } from "../../domain/records/snapshot.ts";
import type { Batch } from "../../stores/ports.ts";
import { countBatch, countSuperseded } from "../measure/count-batch.ts";
import { batchOf } from "./batch-of.ts";
import { scheduleDueHint, isHintedInTime } from "./due-hint.ts";
import { budgetLeftMs, handOn, nowMsOf, setStoreTime, turnFields } from "./turn.ts";
import type { Turn, TurnPorts } from "./turn.ts";

export type Flushed =
  /** It stands, and nobody wrote after it: go on from the draft. */
  | "written"
  /** It stands, but somebody has written after it: read again. */
  | "overtaken"
  /** It can never land: read again; what a provider answered becomes a finding (keep-evidence.ts). */
  | "superseded";

const resendPausesMs = [20, 100, 400, 1000, 2000, 4000];

/** `keepCrashes`: this batch only counts a crash. Any other shows that this worker is alive, and ends the count. */
export async function flush(
  ports: TurnPorts,
  turn: Turn,
  options: { keepCrashes?: boolean; hintsNothing?: boolean } = {},
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
  if (options.hintsNothing === true) return flushed;
  if (dueAtMs !== dueBefore && !isHintedInTime(turn)) await scheduleDueHint(ports, turn);
  return flushed;
}

/**
 * For the end of a turn: writes even if nothing is new but a crash was counted or a due time has passed. The write shows that
 * this worker is alive, and sets the next due time. Without it four turns on a busy provider would park the case.
 */
export async function flushAlive(ports: TurnPorts, turn: Turn): Promise<Flushed> {
  const { crashes = 0, dueAtMs = Infinity } = turn.base.case ?? {};
  const mustShow = crashes > 0 || dueAtMs <= (nowMsOf(ports, turn) ?? 0);
  if (turn.draft === turn.base && mustShow) {
    turn.draft = withCase(turn.draft, { crashes: undefined });
  }
  return flush(ports, turn);
}

/** Hands the case on if the turn's time left is too short for a call; undefined when there is time. */
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

/** Our batch had landed and its answer was lost. The case tells whether anybody has written after it. */
async function afterOwnWrite(ports: TurnPorts, turn: Turn, batch: Batch): Promise<Flushed> {
  const head = await ports.at("headAfterWrite", () => ports.cases.head(turn.key));
  setStoreTime(ports, turn, head.storeMs);
  if (`log:${head.lastWriteId}` !== batch.log.id) return "overtaken";
  turn.caseEtag = head.caseEtag;
  return "written";
}

/** The written draft as the next base: without closed documents, as a read would show it. */
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

/** For when the snapshot is known to be old, or an attempt ended before its call. */
export async function writeAndReadAgain(ports: TurnPorts, turn: Turn): Promise<"again"> {
  await flush(ports, turn);
  return "again";
}
