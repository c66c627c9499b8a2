// What it means when Cosmos DB throws. The SDK sends a write once and leaves the rest to us.
//
//   refused     nothing was done and the same request never will be: a fault that says what to do
//   uncertain   no answer, or one that leaves open what was done: only sending again can tell
//
// The SDK's errors hold the whole request, payload and authorization included, and a parser's message quotes what it
// read. So none of them is handed on: of what happened only the code remains.
import { z } from "zod";
import { TerminalFault, TransientFault, type FaultIds } from "../../domain/faults.ts";

export interface Failure {
  status: number | undefined;
  substatus: number | undefined;
  retryAfterMs: number | undefined;
}

const SdkError = z.object({
  name: z.string().optional(),
  /** The HTTP status, or a word for what went wrong below HTTP. */
  code: z.union([z.number(), z.string()]).optional(),
  substatus: z.number().optional(),
  retryAfterInMs: z.number().optional(),
  activityId: z.string().optional(),
});
type SdkError = z.infer<typeof SdkError>;

/** `items.batch` wraps what happened: the code is in the cause. */
function sdkErrorOf(error: unknown): SdkError {
  const own = SdkError.safeParse(error).data ?? {};
  if (own.code !== undefined || !(error instanceof Error) || error.cause === undefined) return own;
  return SdkError.safeParse(error.cause).data ?? own;
}

export function failureOf(error: unknown): Failure {
  const { code, substatus, retryAfterInMs } = sdkErrorOf(error);
  return {
    status: typeof code === "number" ? code : undefined,
    substatus,
    retryAfterMs: retryAfterInMs,
  };
}

/** What happened, without what was sent or received. */
export function causeOf(error: unknown): Error {
  const { activityId, code, name, substatus } = sdkErrorOf(error);
  const parts = [code ?? name ?? "an error", substatus && `substatus ${substatus}`, activityId];
  return new Error(`Cosmos DB: ${parts.filter(Boolean).join(", ")}`);
}

/** The fault to throw when the service has refused for good; undefined when that is not certain. */
export function refusalOf(error: unknown, ids: FaultIds): TerminalFault | undefined {
  const { status, substatus } = failureOf(error);
  const why = whyRefused(status, substatus);
  if (why === undefined) return undefined;
  return new TerminalFault(why, {
    ids: substatus === undefined ? ids : { ...ids, substatus },
    cause: causeOf(error),
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
      return substatus === 3 || substatus === 1008 ? undefined : whyForbidden(substatus);
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

function whyForbidden(substatus: number | undefined): string {
  return substatus === 1014
    ? "The case's partition is full (403/1014): Cosmos DB keeps 20 GB of one case, and takes no more of it."
    : "Cosmos DB refuses this identity (403); give it the built-in data contributor role and let it through the firewall.";
}

/** A read changes nothing: whatever is not refused may be tried again. */
export function readFault(error: unknown, what: string, ids: FaultIds): Error {
  return (
    refusalOf(error, ids) ??
    new TransientFault(`Cosmos DB gave no answer to ${what}.`, { ids, cause: causeOf(error) })
  );
}

/** The store's own clock, in whole seconds; undefined when the answer had no `date`. */
export function storeMsOf(headers: Readonly<Record<string, unknown>>): number | undefined {
  const { date } = headers;
  const ms = typeof date === "string" ? Date.parse(date) : Number.NaN;
  return Number.isNaN(ms) ? undefined : ms;
}
