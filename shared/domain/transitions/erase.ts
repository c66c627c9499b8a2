// What is left of a closed case when its content must go: ids, digests, statuses and times (design.md 3). Pure.
//
// The ledger still proves that an effect was intended, what became of it and when; it no longer says to whom or what.
import { digestOf } from "../canonical-json.ts";
import type { Approval } from "../records/approval.ts";
import type { Case } from "../records/case.ts";
import type { Effect } from "../records/effect.ts";
import type { Finding, Receipt } from "../records/evidence.ts";
import type { Event } from "../records/inbox.ts";
import type { LogEntry, Review } from "../records/review.ts";
import type { CaseDocument } from "../records/snapshot.ts";

export type Erasable = CaseDocument | LogEntry;

/** The same document without its content; the same object when there is nothing to take. */
export function erased(document: Erasable): Erasable {
  const empty = emptied(document);
  return digestOf(plain(empty)) === digestOf(plain(document)) ? document : empty;
}

/** Undefined members are not there in the store either. */
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
      return { ...document, body: {}, externalRef: "" } satisfies Event;
    case "finding":
      return { ...document, content: { kind: "erased" } } satisfies Finding;
    case "review":
      return { ...document, why: "", consequence: "" } satisfies Review;
    case "approval":
      return { ...document, target: "", consequence: "" } satisfies Approval;
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
    ...(held === undefined ? {} : { held: { ...held, detail: "" } }),
  };
}

function emptyEffect(effect: Effect): Effect {
  const attempts = effect.attempts.map((attempt) => {
    if (attempt.end === undefined) return attempt;
    const { reason: _said, ...end } = attempt.end;
    return { ...attempt, end };
  });
  const common = { target: "", payload: {}, attempts };
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

function emptyReceipt(receipt: Receipt): Receipt {
  return { ...receipt, boundTo: { ...receipt.boundTo, target: "" }, content: {} };
}
