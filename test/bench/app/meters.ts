// What a case costs by the stand-ins' own books: requests and charges of the Cosmos server, messages of the broker,
// executions of the host.
import { localCosmos } from "../../../local/cosmos/faults.ts";
import { serviceBusControl } from "../../../local/service-bus/faults.ts";
import type { LocalAzure } from "../../../local/start/azure/local-azure.ts";

/** Totals at one moment, or the share of one case. */
export interface Meters {
  /** Of the app in `cases`: creates and batches. */
  writes: number;
  writeCharge: number;
  /** Point reads and queries of the app: `cases`, `grants`, `control`. */
  reads: number;
  readCharge: number;
  /** Of the change feed and its leases. */
  feedRequests: number;
  feedCharge: number;
  messages: number;
  /** Sends, cancellations, receives, completions: what Service Bus counts as operations. */
  brokerOperations: number;
  executions: number;
  webhookExecutions: number;
  turnExecutions: number;
  feedExecutions: number;
}

const writeKinds = new Set(["create", "upsert", "replace", "patch", "delete", "batch", "bulk"]);
const readKinds = new Set(["read", "query"]);
const brokerKinds = new Set([
  "sent",
  "scheduled",
  "cancelled",
  "delivered",
  "completed",
  "abandoned",
]);

export async function readMeters(
  azure: Pick<LocalAzure, "cosmosUrl" | "serviceBusControlUrl">,
  invocations: ReadonlyMap<string, number>,
): Promise<Meters> {
  const counts = await localCosmos(azure.cosmosUrl).counts();
  const events = await serviceBusControl(azure.serviceBusControlUrl).counts();
  const cosmos = (is: (one: { container: string; kind: string }) => boolean) =>
    counts
      .filter(is)
      .reduce((sum, one) => ({ count: sum.count + one.count, charge: sum.charge + one.charge }), {
        count: 0,
        charge: 0,
      });
  const writes = cosmos(({ container, kind }) => container === "cases" && writeKinds.has(kind));
  const reads = cosmos(
    ({ container, kind }) =>
      ["cases", "grants", "control"].includes(container) && readKinds.has(kind),
  );
  const feed = cosmos(({ container, kind }) => container === "leases" || kind === "feed");
  const broker = (is: (kind: string) => boolean) =>
    Object.entries(events).reduce((sum, [kind, count]) => sum + (is(kind) ? count : 0), 0);
  const executed = (name: string) => invocations.get(name) ?? 0;
  return {
    writes: writes.count,
    writeCharge: writes.charge,
    reads: reads.count,
    readCharge: reads.charge,
    feedRequests: feed.count,
    feedCharge: feed.charge,
    messages: broker((kind) => kind === "sent" || kind === "scheduled"),
    brokerOperations: broker((kind) => brokerKinds.has(kind)),
    executions: [...invocations.values()].reduce((sum, one) => sum + one, 0),
    webhookExecutions: executed("receive-webhook"),
    turnExecutions: executed("process-case") + executed("review-effect"),
    feedExecutions: executed("reconcile-effects"),
  };
}

export function perCase(before: Meters, after: Meters, cases: number): Meters {
  const shares = Object.entries(after).map(([name, total]) => {
    const share = (Number(total) - before[name as keyof Meters]) / cases;
    return [name, Math.round(share * 100) / 100];
  });
  return Object.fromEntries(shares) as Meters;
}
