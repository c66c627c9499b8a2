// GET .../pkranges: the physical partitions. The client drops the whole map unless they tile the ring
// from "" to "FF" without a gap.
import type { CosmosRequest, Reply } from "../protocol/exchange.ts";
import { json } from "../protocol/exchange.ts";
import type { Service } from "../service.ts";

export function listRanges({ segments }: CosmosRequest, { catalog }: Service): Reply {
  const container = catalog.container(segments[1] ?? "", segments[3] ?? "");
  const ranges = container.ranges.map((range, at) => ({
    ...range,
    _rid: container.rid,
    _self: `dbs/${container.databaseRid}/colls/${container.rid}/pkranges/${range.id}/`,
    _etag: container.etag,
    _ts: container.ts,
    ridPrefix: at,
    throughputFraction: 1 / container.ranges.length,
    status: "online",
    lsn: container.lsn,
  }));
  const body = { _rid: container.rid, PartitionKeyRanges: ranges, _count: ranges.length };
  return { ...json(200, body), headers: { etag: `"${container.lsn}"` }, container };
}
