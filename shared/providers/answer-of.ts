// What an HTTP answer proves about the one attempt that got it, read from the provider's contract.
//
//   2xx                 whatever the adapter can bind to the operation, else nothing
//   a documented refusal    refused, for this attempt; for the operation only where the contract quotes it
//   a documented "not applied"   this attempt did nothing; it says nothing of an earlier one (design.md 5, cases.md 45)
//   everything else     nothing: 3xx, 5xx, a code that nobody documented
//
// An error that the provider says it repeats from its store proves nothing new, whatever its status (cases.md 46).
// `usual` is what the reference providers publish. A 409 is not in it. "In progress" means that a copy of this
// operation is being carried out: it may be a copy of this very attempt that a proxy sent twice, so "not applied" would
// be wrong. For the same reason "already there" refuses nothing: it may be this attempt's own first copy that is there. Nor is it, or
// "key reused", ever success (cases.md 45, 52); whose it is a look-up tells, and the latter is a defect, asked no further.
import { z } from "zod";
import type { Contract, HttpAnswers } from "../domain/contract.ts";
import type { Answer } from "../domain/records/evidence.ts";
import type { Answered } from "./http-answer.ts";
import type { Heard } from "./http-call.ts";

/** What a provider says in a field. Bounded and well-formed, so that a receipt can always be digested and stored. */
export const Said = z
  .string()
  .min(1)
  .max(256)
  .refine((text) => text.isWellFormed());

export const usualAnswers: HttpAnswers = {
  refusals: [
    { status: 400, code: "*" },
    { status: 413, code: "*" },
    { status: 422, code: "refused" },
  ],
  keyReused: [{ status: 409, code: "idempotency_key_reused" }],
  notApplied: [{ status: 401 }, { status: 403 }, { status: 404 }, { status: 429 }],
};

export function answerOf(
  heard: Heard,
  contract: Contract,
  success: (answered: Answered) => Answer,
): Answer {
  switch (heard.kind) {
    case "notSent":
    case "noAnswer":
      return heard;
    case "answered":
      break;
  }
  const { body, replayed, status } = heard;
  if (status >= 200 && status <= 299) return success(heard);
  const { answers } = contract;
  const code = textAt(body, answers?.codePath ?? ["code"]);
  const said = code === undefined ? String(status) : plain(`${status} ${code}`);
  if (replayed) {
    return {
      ...provesNothing(heard, `${said}, repeated from the key's store`),
      replayedError: true,
    };
  }
  const refusal = answers?.refusals.find((told) => isTold(told, status, code));
  if (refusal !== undefined) {
    // What it says in words is shown where its code says no more than that it refused.
    const reason = textAt(body, ["reason"]) ?? code ?? "";
    return refused(heard, {
      reason: refusal.code === "*" ? said : plain(reason),
      speaksForOperation: refusal.speaksForOperation !== undefined,
    });
  }
  if (answers?.notApplied.some((told) => isTold(told, status, code)) === true) {
    return { kind: "notApplied", reason: said, ...carried(heard) };
  }
  const silence = provesNothing(heard, said);
  const isAmong = (codes: HttpAnswers["keyReused"]) =>
    codes?.some((told) => isTold(told, status, code)) === true;
  if (isAmong(answers?.keyReused)) return { ...silence, keyReused: true };
  if (isAmong(answers?.alreadyThere)) return { ...silence, alreadyThere: true };
  const kept = answers?.nothingKept?.except;
  const isNothingKept = status >= 400 && kept !== undefined && !kept.includes(status);
  return isNothingKept ? { ...silence, nothingKept: true } : silence;
}

function isTold(
  told: { status: number; code?: string | undefined },
  status: number,
  code: string | undefined,
): boolean {
  if (told.status !== status) return false;
  if (told.code === undefined) return true;
  return told.code === "*" ? code !== undefined : told.code === code;
}

function textAt(body: unknown, path: readonly string[]): string | undefined {
  let value = body;
  for (const field of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, field))
      return undefined;
    value = Reflect.get(value, field);
  }
  return typeof value === "string" && value !== "" ? value : undefined;
}

export function provesNothing(answered: Answered, reason: string): Answer & { kind: "noAnswer" } {
  return { kind: "noAnswer", reason: `${reason}: proves nothing`, ...carried(answered) };
}

function refused(
  answered: Answered,
  told: { reason: string; speaksForOperation: boolean },
): Answer {
  const { retryAfterMs: _notForARefusal, ...rest } = carried(answered);
  return { kind: "refused", ...told, ...rest };
}

/** Absent fields stay absent: an answer is digested and stored as it is. */
function carried(answered: Answered): { retryAfterMs?: number; providerRequestId?: string } {
  const { requestId, retryAfterMs } = answered;
  return {
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(requestId === undefined ? {} : { providerRequestId: requestId }),
  };
}

/** A provider's words as one short line, fit for a record. */
function plain(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/\p{Cc}+/gu, " ")
    .slice(0, 200)
    .toWellFormed();
}
