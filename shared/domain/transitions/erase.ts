// Empties the documents of a closed case whose content must go; ids, digests, statuses and times stay (design.md 3). Pure.
//
// The ledger still proves that an effect was intended, what became of it and when. It no longer says to whom, or what.
// Documents beside the case (payloads, checkpoints, refused deliveries) are emptied unread and end at once by their TTL.
import { digestOf } from "../canonical-json.ts";
import type { Approval } from "../records/approval.ts";
import type { Case } from "../records/case.ts";
import type { Effect } from "../records/effect.ts";
import type { Finding, Receipt } from "../records/evidence.ts";
import type { Event } from "../records/inbox.ts";
import type { Payload } from "../records/payload.ts";
import type { OperatorRecord } from "../records/operator-record.ts";
import type { LogEntry, Review } from "../records/review.ts";
import type { CaseDocument } from "../records/snapshot.ts";

export type Erasable = CaseDocument | LogEntry | OperatorRecord;

const endsAtOnce = { ttl: 1 };
const noCiphertext = { keyId: "", nonce: "", ciphertext: "" };

/** The fields to set on a document beside the case, whatever it holds. */
export function erasedBeside(type: "payload" | "checkpoint" | "refusal" | "deadLetter") {
  switch (type) {
    case "payload":
      return { ...endsAtOnce, ...noCiphertext };
    case "checkpoint":
      return { ...endsAtOnce, value: null };
    case "refusal":
      return { ...endsAtOnce, why: "" };
    case "deadLetter":
      return { content: null, why: "" };
  }
}

/** The document without its content; the same object when it has none. */
export function erased(document: Erasable): Erasable {
  const empty = emptied(document);
  return digestOf(plain(empty)) === digestOf(plain(document)) ? document : empty;
}

/** As the store has it: without undefined members. */
function plain(document: Erasable): unknown {
  return JSON.parse(JSON.stringify(document));
}

function emptied(document: Erasable): Erasable {
  switch (document.type) {
    case "case":
      return emptyCase(document);
    case "effect":
      return emptyEffect(document);
    case "event":
      return emptyEvent(document);
    case "finding":
      return { ...document, content: { kind: "erased" } } satisfies Finding;
    case "review":
      return emptyReview(document);
    case "approval":
      return emptyApproval(document);
    case "payload":
      return { ...document, ...noCiphertext } satisfies Payload;
    case "operatorRecord": {
      const { detail: _said, ...outcome } = document.outcome;
      return { ...document, reason: "", details: {}, outcome } satisfies OperatorRecord;
    }
    case "log":
      return { ...document, did: [] } satisfies LogEntry;
  }
}

function emptyCase(record: Case): Case {
  const { held } = record;
  return {
    ...record,
    externalRef: "",
    facts: {},
    // A closed case has no plan. If it had one, its notifications would be content.
    plan: undefined,
    ...(held === undefined ? {} : { held: { ...held, detail: "" } }),
  };
}

function emptyReview(review: Review): Review {
  const { resolution } = review;
  if (resolution === undefined) return { ...review, why: "", consequence: "" };
  const { atMs, by } = resolution;
  return { ...review, why: "", consequence: "", resolution: { how: "", by, atMs } };
}

function emptyApproval(approval: Approval): Approval {
  const empty = { ...approval, target: "", consequence: "" };
  if (approval.answer === undefined) return empty;
  const { reason: _said, ...answer } = approval.answer;
  return { ...empty, answer };
}

function emptyEffect(effect: Effect): Effect {
  const attempts = effect.attempts.map((attempt) => {
    if (attempt.end === undefined) return attempt;
    const { reason: _said, ...end } = attempt.end;
    return { ...attempt, end };
  });
  const payload = effect.payload === undefined ? {} : { payload: {} };
  // The reason of a contradiction is a text of the app's own and stays.
  const common = { target: "", ...payload, attempts };
  switch (effect.status) {
    case "confirmed":
      return { ...effect, ...common, receipt: emptyReceipt(effect.receipt) };
    case "rejected":
    case "unknown":
    case "cancelled":
      return { ...effect, ...common, reason: "" };
    case "prepared":
    case "started":
      return { ...effect, ...common };
  }
}

export function emptyEvent(event: Event): Event {
  return { ...event, body: {}, externalRef: "" };
}

export function emptyReceipt(receipt: Receipt): Receipt {
  return { ...receipt, boundTo: { ...receipt.boundTo, target: "" }, content: {} };
}
