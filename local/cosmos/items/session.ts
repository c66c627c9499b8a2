// Session tokens: `<range id>:-1#<lsn>`, one for each range, joined by commas.
//
// One server has one state, so it never lags behind a token it gave out; it only does so on purpose
// (a stale read), and then answers 404/1002 as a replica would that has not caught up. The client
// sends the token only when it was built with consistency level Session.
import type { CosmosRequest } from "../protocol/exchange.ts";
import { Refusal } from "../protocol/refusals.ts";
import type { Container } from "../store/catalog.ts";

export function sessionToken(container: Container, rangeId: string | undefined): string {
  const ids = rangeId === undefined ? container.ranges.map(({ id }) => id) : [rangeId];
  return ids.map((id) => `${id}:-1#${container.lsn}`).join(",");
}

export function requireSession(request: CosmosRequest, container: Container): void {
  const token = request.header("x-ms-session-token");
  if (token === undefined || request.staleTransactions === 0) return;
  const seenLsn = container.lsn - request.staleTransactions;
  const wanted = token
    .split(",")
    .map((part) => Number(/#(\d+)/.exec(part)?.[1] ?? 0))
    .reduce((highest, lsn) => Math.max(highest, lsn), 0);
  if (wanted > seenLsn) {
    const message = "The read session is not available for the input session token.";
    throw new Refusal(404, message, { subStatus: 1002 });
  }
}
