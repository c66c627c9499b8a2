// What an adapter returned, in the form in which it can be stored: JSON that can be digested, and of bounded size. Pure.
//
//   a number that would be rounded   is kept as text
//   half of a surrogate pair         is replaced, in values and in keys
//   more text than fits              is left out: what an answer proves does not rest on it
import type { Answer, LookupVerdict, Receipt } from "./records/evidence.ts";

/** Throws for a value that has no JSON form at all. */
export function storable(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value) ?? "null", (_key, member: unknown) => {
    if (typeof member === "string") return member.toWellFormed();
    if (typeof member === "object" && member !== null && !Array.isArray(member)) {
      return withWholeKeys(member);
    }
    const isRounded = Number.isInteger(member) && !Number.isSafeInteger(member);
    return isRounded ? String(member) : member;
  });
}

function withWholeKeys(value: object): object {
  const entries = Object.entries(value);
  if (entries.every(([key]) => key.isWellFormed())) return value;
  return Object.fromEntries(entries.map(([key, member]) => [key.toWellFormed(), member]));
}

/** More than any shipped adapter reads of an answer, and with the case and the effect far below one transaction. */
const saidBytesMax = 128 * 1024;
const reasonLengthMax = 1000;

export function boundedAnswer(answer: Answer): Answer {
  if (fits(answer)) return answer;
  return answer.kind === "receipt"
    ? { ...answer, receipt: withoutContent(answer.receipt) }
    : { ...answer, reason: cut(answer.reason) };
}

export function boundedVerdict(verdict: LookupVerdict): LookupVerdict {
  if (fits(verdict)) return verdict;
  switch (verdict.kind) {
    case "found":
      return {
        ...verdict,
        receipt: withoutContent(verdict.receipt),
        ...(verdict.others && { others: verdict.others.map(withoutContent) }),
      };
    case "inconclusive":
      return { ...verdict, reason: cut(verdict.reason) };
    case "absent":
      return verdict;
  }
}

function fits(said: Answer | LookupVerdict): boolean {
  return Buffer.byteLength(JSON.stringify(said)) <= saidBytesMax;
}

function withoutContent(receipt: Receipt): Receipt {
  return { ...receipt, content: { leftOut: `more than ${saidBytesMax} bytes` } };
}

function cut(reason: string): string {
  return reason.slice(0, reasonLengthMax).toWellFormed();
}
