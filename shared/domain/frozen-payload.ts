// The payload of an effect, from the decision that freezes it to the call that sends it. Pure.
//
//   plain       in the ledger entry, under the SHA-256 of its canonical JSON
//   sensitive   in a document of its own, encrypted; the ledger has a reference and a keyed digest, and no more
//
// Either way exactly what was frozen is sent, or nothing: a payload that is missing, does not decrypt or has another digest is
// withheld with the reason.
import { canonicalJson, digestOf } from "./canonical-json.ts";
import type { Book } from "./definitions.ts";
import type { PayloadKeys, PayloadPlace } from "./payload-keys.ts";
import type { ActionRequest, PlannedAction } from "./records/case.ts";
import type { Effect } from "./records/effect.ts";
import {
  schemaVersion,
  type Answer,
  type LookupVerdict,
  type Receipt,
} from "./records/evidence.ts";
import { payloadRefOf, type Payload } from "./records/payload.ts";

type Content = Readonly<Record<string, unknown>>;

type Kept = Pick<Effect, "payload" | "payloadRef" | "payloadDigest">;

/** What the ledger keeps, and the document that must be created beside it. */
interface Frozen {
  kept: Kept;
  document?: Payload;
}

export function freezePayload(
  place: PayloadPlace,
  request: Pick<ActionRequest, "action" | "payload">,
  book: Book,
): Frozen {
  const { action, payload } = request;
  if (book.action(action)?.sensitive !== true) {
    return { kept: { payload, payloadDigest: digestOf(payload, "payload") } };
  }
  const keys = book.payloadKeys;
  if (keys === undefined) throw new Error(`${action} is sensitive, and there is no key`);
  const { tenantId, caseId, operationId } = place;
  const text = canonicalJson(payload, "payload");
  const id = payloadRefOf(operationId);
  return {
    kept: { payloadRef: id, payloadDigest: keys.digest(text) },
    document: {
      id,
      type: "payload",
      schemaVersion,
      tenantId,
      caseId,
      operationId,
      ...keys.seal(place, text),
    },
  };
}

/** The payload as the plan keeps it. A plan of older code has no digest, and then a plain payload. */
export function keptPayload({ action, payload, payloadDigest, payloadRef }: PlannedAction): Kept {
  if (payload !== undefined) {
    return { payload, payloadDigest: payloadDigest ?? digestOf(payload, "payload") };
  }
  if (payloadRef === undefined || payloadDigest === undefined) {
    throw new Error(`${action} was planned without a payload`);
  }
  return { payloadRef, payloadDigest };
}

export type Thawed =
  | { kind: "payload"; payload: Content }
  | { kind: "withheld"; review: "PayloadUnavailable" | "PayloadMismatch"; why: string };

/** `document`: the stored document that the effect's `payloadRef` names. */
export function thawPayload(
  effect: Effect,
  document: Payload | undefined,
  keys: PayloadKeys | undefined,
): Thawed {
  const { payload, payloadDigest } = effect;
  if (payload !== undefined) {
    return digestOf(payload, "payload") === payloadDigest ? { kind: "payload", payload } : mismatch;
  }
  if (document === undefined) return unavailable("it is no longer stored");
  if (document.ciphertext === "") return unavailable("it was erased");
  if (keys === undefined) return unavailable("no key is configured here");
  const opened = keys.open(effect, document);
  if (opened.kind === "closed") return unavailable(opened.why);
  if (keys.digest(opened.text) !== payloadDigest) return mismatch;
  return { kind: "payload", payload: JSON.parse(opened.text) as Content };
}

const mismatch: Thawed = {
  kind: "withheld",
  review: "PayloadMismatch",
  why: "its stored payload is not the one that was frozen under its digest",
};

export function unavailable(why: string): Thawed & { kind: "withheld" } {
  return { kind: "withheld", review: "PayloadUnavailable", why: `its payload: ${why}` };
}

/** A shorter text is too common: it may be there by chance. */
const echoLengthMin = 4;
/** For a part of a text: providers cut their messages off, and with them what they repeat. */
const echoPartMin = 8;

/** What a provider said about a sensitive effect, without what it repeats of the payload. */
export function withoutEcho(effect: Effect, payload: Content, answer: Answer): Answer {
  if (effect.payloadRef === undefined) return answer;
  return answer.kind === "receipt"
    ? { ...answer, receipt: bareReceipt(effect, answer.receipt) }
    : { ...answer, reason: withoutTexts(answer.reason, payload) };
}

export function verdictWithoutEcho(
  effect: Effect,
  payload: Content,
  verdict: LookupVerdict,
): LookupVerdict {
  if (effect.payloadRef === undefined) return verdict;
  switch (verdict.kind) {
    case "found":
      return {
        ...verdict,
        receipt: bareReceipt(effect, verdict.receipt),
        ...(verdict.others && { others: verdict.others.map((one) => bareReceipt(effect, one)) }),
      };
    case "inconclusive":
      return { ...verdict, reason: withoutTexts(verdict.reason, payload) };
    case "absent":
      return verdict;
  }
}

/** An unkeyed digest of another content, made by an adapter, is replaced by a text that says only that it differs. */
function bareReceipt({ payloadDigest }: Effect, receipt: Receipt): Receipt {
  const isFrozen = receipt.boundTo.payloadDigest === payloadDigest;
  const boundTo = {
    ...receipt.boundTo,
    payloadDigest: isFrozen ? payloadDigest : "another payload",
  };
  return { ...receipt, boundTo, content: {} };
}

function withoutTexts(said: string, payload: Content): string {
  const texts = textsIn(payload).map(compared);
  const line = said.replaceAll(/[\s\p{Cc}]+/gu, " ");
  const sought = compared(line);
  let kept = "";
  for (let at = 0; at < line.length;) {
    const length = Math.max(0, ...texts.map((text) => repeatedLength(sought, at, text)));
    kept += length === 0 ? line.charAt(at) : "[withheld]";
    at += Math.max(1, length);
  }
  return kept;
}

/** How many characters of the text stand there: all of them, or a part that is too long to be there by chance. */
function repeatedLength(sought: string, at: number, text: string): number {
  if (sought.startsWith(text, at)) return text.length;
  let length = echoPartMin;
  if (at + length > sought.length || !text.includes(sought.slice(at, at + length))) return 0;
  while (at + length < sought.length && text.includes(sought.slice(at, at + length + 1)))
    length += 1;
  return length;
}

/** A provider may change the case, and make one line of several. Each character keeps its place. */
function compared(text: string): string {
  return text
    .replaceAll(/[\s\p{Cc}]+/gu, " ")
    .replaceAll(/\p{Lu}/gu, (letter) =>
      letter.toLowerCase().length === letter.length ? letter.toLowerCase() : letter,
    );
}

function textsIn(value: unknown): string[] {
  if (typeof value === "number") return textsIn(String(value));
  if (typeof value === "string") return value.length < echoLengthMin ? [] : [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(textsIn);
}
