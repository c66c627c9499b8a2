// The change feed, latest version: GET .../docs with `a-im: Incremental Feed`.
//
// Items in the order of their last change; only the last version of each; deletes and expiries never
// show. A position is a quoted LSN: the reply's etag, the request's If-None-Match. `*` means now, a
// date means the first change at or after it, nothing means the beginning; If-None-Match wins over
// the date, because the client keeps sending the date. All items of one transaction share an LSN and
// arrive in one page, even if that makes the page longer than asked.
import type { CosmosRequest, Reply } from "../protocol/exchange.ts";
import { readCharge } from "../protocol/charges.ts";
import { badRequest } from "../protocol/refusals.ts";
import { scopeSql } from "../query/scan.ts";
import type { Service } from "../service.ts";
import type { Container } from "../store/catalog.ts";
import { itemText } from "../store/items.ts";
import { ITEM_COLUMNS, toItem } from "../store/stored-item.ts";
import type { StoredItem } from "../store/stored-item.ts";
import { containerOf, rangeIdOf, scopeOf } from "./addressing.ts";

const PAGE_DEFAULT = 100;
const PAGE_BYTES_MAX = 4 * 1024 * 1024;

interface Start {
  afterLsn: number;
  sinceTs: number;
}

function startOf(request: CosmosRequest, container: Container): Start {
  const position = request.header("if-none-match");
  if (position === "*") return { afterLsn: container.lsn, sinceTs: 0 };
  if (position !== undefined) {
    const lsn = Number(/^"?(\d+)"?$/.exec(position)?.[1] ?? Number.NaN);
    if (!Number.isInteger(lsn)) throw badRequest("The change feed position is malformed.");
    return { afterLsn: lsn, sinceTs: 0 };
  }
  const since = request.header("if-modified-since");
  if (since === undefined) return { afterLsn: 0, sinceTs: 0 };
  const sinceMs = Date.parse(since);
  if (Number.isNaN(sinceMs)) throw badRequest("If-Modified-Since is not a date.");
  return { afterLsn: 0, sinceTs: Math.floor(sinceMs / 1000) };
}

export function changeFeed(request: CosmosRequest, service: Service): Reply {
  if ((request.header("a-im") ?? "").toLowerCase() !== "incremental feed") {
    throw badRequest("This server has the change feed in latest version mode only.");
  }
  const container = containerOf(request, service);
  const scope = scopeOf(request, container);
  const { afterLsn, sinceTs } = startOf(request, container);
  const asked = Number(request.header("x-ms-max-item-count") ?? 0);
  const pageSize = asked > 0 ? asked : PAGE_DEFAULT;

  const { terms, values } = scopeSql(scope);
  const sql = `SELECT ${ITEM_COLUMNS} FROM ${container.table}
    WHERE ${[...terms, "lsn > ?", "ts >= ?"].join(" AND ")} ORDER BY lsn, position`;
  const page: StoredItem[] = [];
  let bytes = 0;
  let isLast = true;
  for (const row of service.sqlite.iterate(sql, ...values, afterLsn, sinceTs)) {
    const item = toItem(row);
    if (!service.items.isLive(item)) continue;
    const isFull = page.length >= pageSize || bytes > PAGE_BYTES_MAX;
    if (isFull && item.lsn !== page.at(-1)?.lsn) {
      isLast = false;
      break;
    }
    page.push(item);
    bytes += item.body.length;
  }
  // At the end of what there is, the position is the container's, so that an idle scope (a prefix, a
  // partition) does not read again what others changed.
  const position = isLast ? Math.max(container.lsn, afterLsn) : (page.at(-1)?.lsn ?? afterLsn);
  const rangeId = rangeIdOf(container, scope);
  const reply: Reply = {
    status: page.length === 0 ? 304 : 200,
    headers: { etag: `"${position}"`, "x-ms-item-count": page.length },
    charge: page.length === 0 ? 1 : readCharge(bytes) + 1,
    container,
    ...(rangeId === undefined ? {} : { rangeId }),
  };
  if (page.length > 0) {
    const documents = page.map((item) => itemText(container, item, true)).join(",");
    reply.body = `{"_rid":"${container.rid}","Documents":[${documents}],"_count":${page.length}}`;
  }
  return reply;
}
