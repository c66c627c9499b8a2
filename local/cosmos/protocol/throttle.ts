// Request units per second: a bucket for each container that fills at its offered throughput.
//
// A request is admitted while the bucket is not in debt, and pays when it is done (a burst may go
// into debt, as on the service). Refused is 429/3200 with the milliseconds until the debt is paid,
// and nothing was done.
import type { Service } from "../service.ts";
import type { CosmosRequest, Reply } from "./exchange.ts";
import { Refusal } from "./refusals.ts";

export interface Throttle {
  admit(request: CosmosRequest, service: Service): void;
  charge(reply: Reply, service: Service): void;
}

interface Bucket {
  units: number;
  atMs: number;
}

const THROUGHPUT_DEFAULT = 400;

export function openThrottle(): Throttle {
  const buckets = new Map<number, Bucket>();

  const filled = (cid: number, perSecond: number): Bucket => {
    const nowMs = performance.now();
    const bucket = buckets.get(cid) ?? { units: perSecond, atMs: nowMs };
    bucket.units = Math.min(perSecond, bucket.units + ((nowMs - bucket.atMs) * perSecond) / 1000);
    bucket.atMs = nowMs;
    buckets.set(cid, bucket);
    return bucket;
  };

  return {
    admit: ({ segments }, { catalog, settings }) => {
      if (!settings.enforceThroughput || segments[4] !== "docs") return;
      const container = catalog.container(segments[1] ?? "", segments[3] ?? "");
      const perSecond = container.throughput ?? THROUGHPUT_DEFAULT;
      const bucket = filled(container.cid, perSecond);
      if (bucket.units >= 0) return;
      const retryAfterMs = Math.ceil((-bucket.units * 1000) / perSecond);
      throw new Refusal(429, "The request rate is too large.", { subStatus: 3200, retryAfterMs });
    },
    charge: ({ container, charge }, { settings }) => {
      if (!settings.enforceThroughput || container === undefined) return;
      filled(container.cid, container.throughput ?? THROUGHPUT_DEFAULT).units -= charge;
    },
  };
}
