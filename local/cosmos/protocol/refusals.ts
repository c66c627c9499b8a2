// Everything the service refuses, as one kind of fault that carries status, substatus and message.
//
// Handlers throw it; the listener turns it into a reply. Each body must be JSON with a `message`,
// or the client breaks while reading the error. A fault inside a batch becomes that operation's
// status and rolls the whole batch back.

const CODES: Record<number, string> = {
  400: "BadRequest",
  401: "Unauthorized",
  403: "Forbidden",
  404: "NotFound",
  405: "MethodNotAllowed",
  408: "RequestTimeout",
  409: "Conflict",
  410: "Gone",
  412: "PreconditionFailed",
  413: "RequestEntityTooLarge",
  424: "FailedDependency",
  429: "TooManyRequests",
  449: "RetryWith",
  500: "InternalServerError",
  501: "NotImplemented",
  503: "ServiceUnavailable",
};

export interface RefusalDetails {
  subStatus?: number;
  retryAfterMs?: number;
  /** Further members of the error body, such as `additionalErrorInfo`. */
  extra?: Record<string, unknown>;
}

export class Refusal extends Error {
  readonly status: number;
  readonly details: RefusalDetails;
  constructor(status: number, message: string, details: RefusalDetails = {}) {
    super(message);
    this.status = status;
    this.details = details;
  }
}

export function refusalBody(refusal: Refusal, activityId: string): string {
  return JSON.stringify({
    code: CODES[refusal.status] ?? String(refusal.status),
    message: `${refusal.message}\r\nActivityId: ${activityId}, local Cosmos DB`,
    ...refusal.details.extra,
  });
}

export function badRequest(message: string, subStatus?: number): Refusal {
  return new Refusal(400, message, subStatus === undefined ? {} : { subStatus });
}

export function notFound(what: string, subStatus?: number): Refusal {
  const message = `Message: {"Errors":["Resource Not Found: ${what}"]}`;
  return new Refusal(404, message, subStatus === undefined ? {} : { subStatus });
}

export function conflict(what: string): Refusal {
  return new Refusal(409, `Entity with the specified id already exists in the system: ${what}`);
}

export function preconditionFailed(message: string, subStatus?: number): Refusal {
  return new Refusal(412, message, subStatus === undefined ? {} : { subStatus });
}

export function tooLarge(message: string): Refusal {
  return new Refusal(413, message);
}
