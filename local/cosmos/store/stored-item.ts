// An item as it lies in its table: the document's text without system properties, and these apart.
import type { Row } from "./sqlite.ts";

export interface StoredItem {
  n: number;
  pk: string;
  id: string;
  epk: string;
  etag: string;
  ts: number;
  lsn: number;
  position: number;
  expires: number | null;
  body: string;
}

export const ITEM_COLUMNS = "n, pk, id, epk, etag, ts, lsn, position, expires, body";

export function toItem(row: Row): StoredItem {
  return {
    n: Number(row["n"]),
    pk: String(row["pk"]),
    id: String(row["id"]),
    epk: String(row["epk"]),
    etag: String(row["etag"]),
    ts: Number(row["ts"]),
    lsn: Number(row["lsn"]),
    position: Number(row["position"]),
    expires: row["expires"] === null ? null : Number(row["expires"]),
    body: String(row["body"]),
  };
}
