// How the service words a query it will not run: status 400 with the position in the text.
import { badRequest } from "../../protocol/refusals.ts";
import type { Refusal } from "../../protocol/refusals.ts";

export function syntaxError(message: string, at: number): Refusal {
  return queryError("SC1001", message, at);
}

export function queryError(code: string, message: string, at?: number): Refusal {
  const location = at === undefined ? {} : { location: { start: at, end: at + 1 } };
  const error = { severity: "Error", ...location, code, message };
  return badRequest(`Message: ${JSON.stringify({ errors: [error] })}`);
}

/** The index refuses, not the parser: the wording applications see on Azure. */
export function indexError(message: string): Refusal {
  return badRequest(`Message: ${JSON.stringify({ Errors: [message] })}`);
}
