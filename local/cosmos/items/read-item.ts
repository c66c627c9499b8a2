// Read one item: 200, 304 when the caller's version is the current one, or 404.
import type { CosmosRequest, Reply } from "../protocol/exchange.ts";
import { notFound } from "../protocol/refusals.ts";
import type { Service } from "../service.ts";
import type { Container } from "../store/catalog.ts";
import { itemKey } from "../store/history.ts";
import type { StoredItem } from "../store/stored-item.ts";
import type { PartitionKey } from "../store/keys/partition-key.ts";
import { containerOf, itemReply, keyOf, readOutcome } from "./addressing.ts";
import type { Outcome, Preconditions } from "./addressing.ts";
import { requireSession } from "./session.ts";

export function read(
  current: StoredItem | undefined,
  id: string,
  conditions: Preconditions,
): Outcome {
  if (current === undefined) throw notFound(id);
  if (conditions.ifNoneMatch === current.etag) return { status: 304, charge: 1, item: current };
  return readOutcome(current);
}

/** The item as this reader sees it: a lagging reader sees its partition as it was. */
function seenItem(
  service: Service,
  container: Container,
  key: PartitionKey,
  id: string,
  staleTransactions: number,
): StoredItem | undefined {
  if (staleTransactions === 0) return service.items.find(container, key, id);
  const past = service.history.past(container, staleTransactions, (pk) => pk === key.text);
  const address = itemKey(key.text, id);
  const seen = past.has(address) ? past.get(address) : service.items.find(container, key, id);
  return seen !== undefined && service.items.isLive(seen) ? seen : undefined;
}

export function readItem(request: CosmosRequest, service: Service): Reply {
  const container = containerOf(request, service);
  const key = keyOf(request, container);
  requireSession(request, container);
  const id = request.segments[5] ?? "";
  const current = seenItem(service, container, key, id, request.staleTransactions);
  const outcome = read(current, id, { ifNoneMatch: request.header("if-none-match") });
  const reply = itemReply(container, key, outcome);
  if (outcome.status === 304) delete reply.body;
  return reply;
}
