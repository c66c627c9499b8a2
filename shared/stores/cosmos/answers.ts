// What it means when Cosmos DB throws (azure-facts B4): the SDK sends a write once and leaves the rest to us.
//
//   refused     nothing was done and the same request never will be: a fault that says what to do
//   uncertain   no answer, or one that leaves open what was done: only sending again can tell
//
// Messages of the service are kept as `cause` only: what we say ourselves holds no payload.
import { TerminalFault, TransientFault, type FaultIds } from "../../domain/faults.ts";

export interface Failure {
  status: number | undefined;
  substatus: number | undefined;
  retryAfterMs: number | undefined;
}

/** `items.batch` wraps what happened: the code is in the cause. */
export function failureOf(error: unknown): Failure {
  const carrier = hasCode(error) || !(error instanceof Error) ? error : error.cause;
  const read = (field: string) => {
    const value: unknown = Object(carrier)[field];
    return typeof value === "number" ? value : undefined;
  };
  return {
    status: read("code"),
    substatus: read("substatus"),
    retryAfterMs: read("retryAfterInMs"),
  };
}

function hasCode(error: unknown): boolean {
  return typeof error === "object" && error !== null && "code" in error;
}

/** The fault to throw when the service has refused for good; undefined when that is not certain. */
export function refusalOf(error: unknown, ids: FaultIds): TerminalFault | undefined {
  const { status, substatus } = failureOf(error);
  const why = whyRefused(status, substatus);
  if (why === undefined) return undefined;
  return new TerminalFault(why, {
    ids: substatus === undefined ? ids : { ...ids, substatus },
    cause: error,
  });
}

export function whyRefused(status: number | undefined, substatus?: number): string | undefined {
  switch (status) {
    case 400:
      return "Cosmos DB does not accept this request (400); container and code do not fit together.";
    case 401:
      return "Cosmos DB does not accept the key or token (401); check the connection setting and the clock.";
    case 403:
      // 3 and 1008: the write region is moving, and soon has moved.
      return substatus === 3 || substatus === 1008
        ? undefined
        : "Cosmos DB refuses this identity (403); give it the built-in data contributor role and let it through the firewall.";
    case 404:
      // 1002: this replica is behind the session; the container itself is there.
      return substatus === 1002
        ? undefined
        : "The Cosmos DB database or container does not exist (404); deploy the entities first.";
    case 413:
      return "A document or batch is larger than the 2 MB that Cosmos DB takes (413).";
    default:
      return undefined;
  }
}

/** A read changes nothing: whatever is not refused may be tried again. */
export function readFault(error: unknown, what: string, ids: FaultIds): Error {
  return (
    refusalOf(error, ids) ??
    new TransientFault(`Cosmos DB gave no answer to ${what}.`, { ids, cause: error })
  );
}

/** The store's own clock, in whole seconds; undefined when the answer had no `date`. */
export function storeMsOf(headers: Readonly<Record<string, unknown>>): number | undefined {
  const { date } = headers;
  const ms = typeof date === "string" ? Date.parse(date) : Number.NaN;
  return Number.isNaN(ms) ? undefined : ms;
}
