// What a misbehaving provider says instead of its own answer.
import type { OutgoingHttpHeaders } from "node:http";
import type { Fault } from "./fault-table.ts";

export interface Reply {
  status: number;
  body: unknown;
  headers?: OutgoingHttpHeaders;
  resultId?: string;
}

/** Larger than any client should read: it must give up by itself. */
const hugeBytes = 8 * 1024 * 1024;

export function substituteFor(fault: Fault): Reply {
  switch (fault.fault) {
    case "errorAfterCommit":
      return { status: fault.status ?? 500, body: { code: "internal_error" } };
    case "tooManyRequests":
      return {
        status: 429,
        body: { code: "too_many_requests" },
        headers: { "retry-after": String(fault.retryAfter ?? 1) },
      };
    case "refuse":
      return {
        status: 422,
        body: { code: "refused", reason: fault.reason ?? "not accepted by the supplier" },
      };
    case "foreignCloser":
      return { status: 409, body: { code: "already_closed", by: fault.reason ?? "somebody else" } };
    case "unavailable":
      return {
        status: 503,
        body: { code: "unavailable" },
        ...(fault.retryAfter === undefined
          ? {}
          : { headers: { "retry-after": String(fault.retryAfter) } }),
      };
    case "redirect":
      return { status: fault.status ?? 307, body: "", headers: { location: "/elsewhere" } };
    case "garbage":
      return { status: fault.status ?? 200, body: "<html><body>It works!</body></html>" };
    case "hugeBody":
      return {
        status: fault.status ?? 200,
        body: { id: "CN-000000", padding: "x".repeat(hugeBytes) },
      };
    case "commitThenDrop":
    case "answerLate":
    case "applyLate":
    case "down":
    case "foreignMarker":
    case "hang":
    case "hangBefore":
      throw new Error(`${fault.fault} has no answer of its own`);
  }
}
