// What an HTTP answer proves about the one attempt that got it. The whole policy is the switch below.
//
//   2xx            whatever the adapter can bind to the operation, else nothing
//   401 403 404    turned away before anything was carried out: this attempt did nothing. It says nothing
//   429            of an earlier attempt, so it never becomes a refusal (design.md 5, cases.md 45)
//   400 413 422    refused, if the provider itself says so with its own code; a bare page proves nothing
//   409            nothing. "In progress" means that a copy of this operation is being carried out: it may be a copy
//                  of this very attempt that a proxy sent twice, so "not applied" would be wrong. Nor is
//                  "already there" or "key reused" ever success (cases.md 45, 52)
//   3xx 5xx, the rest   nothing
//
// An error that the provider says it repeats from its store proves nothing new, whatever its status (cases.md 46).
import { z } from "zod";
import type { Answer } from "../domain/records/evidence.ts";
import type { Answered, Heard } from "./http-call.ts";

const ProviderError = z.object({ code: z.string().min(1), reason: z.string().optional() });

export function answerOf(heard: Heard, success: (answered: Answered) => Answer): Answer {
  switch (heard.kind) {
    case "notSent":
    case "noAnswer":
      return heard;
    case "answered":
      break;
  }
  const { status } = heard;
  if (status >= 200 && status <= 299) return success(heard);
  const told = ProviderError.safeParse(heard.body).data;
  const said = told === undefined ? String(status) : plain(`${status} ${told.code}`);
  if (heard.replayed) {
    return {
      ...provesNothing(heard, `${said}, repeated from the key's store`),
      replayedError: true,
    };
  }
  switch (status) {
    case 401:
    case 403:
    case 404:
    case 429:
      return { kind: "notApplied", reason: said, ...carried(heard) };
    case 400:
    case 413:
      return told === undefined ? provesNothing(heard, said) : refused(heard, said);
    case 422:
      return told?.code === "refused"
        ? refused(heard, plain(told.reason ?? told.code))
        : provesNothing(heard, said);
    default:
      return provesNothing(heard, said);
  }
}

export function provesNothing(answered: Answered, reason: string): Answer & { kind: "noAnswer" } {
  return { kind: "noAnswer", reason: `${reason}: proves nothing`, ...carried(answered) };
}

function refused(answered: Answered, reason: string): Answer {
  const { retryAfterMs: _notForARefusal, ...rest } = carried(answered);
  return { kind: "refused", reason, speaksForOperation: false, ...rest };
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
