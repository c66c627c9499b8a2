// What every handler works with: the clock, the catalog, the items, and how the server was set up.
import type { Catalog } from "./store/catalog.ts";
import type { Clock } from "./store/clock.ts";
import type { History } from "./store/history.ts";
import type { Items } from "./store/items.ts";
import type { Sqlite } from "./store/sqlite.ts";
import type { ItemScan } from "./query/scan.ts";

export interface Service {
  clock: Clock;
  sqlite: Sqlite;
  catalog: Catalog;
  items: Items;
  scan: ItemScan;
  history: History;
  settings: Settings;
}

export interface Settings {
  /** Physical partitions of a container that is created without saying how many. */
  physicalPartitions: number;
  /** `server` answers cross-partition queries itself; `client` sends them back for the SDK to merge. */
  crossPartitionQueries: "server" | "client";
  /** Whether offered throughput is enforced with 429. */
  enforceThroughput: boolean;
  /** The account flag that makes the SDK repeat writes after a 503. */
  multipleWriteLocations: boolean;
  consistencyLevel: string;
}
