// The change feed of `cases`. It never throws for a document: a throw would lose the whole batch.
//
// A case has some ten documents: the more come at once, the more of one case come together, for one read.
// What cannot even start (no connection) does throw, and the retry policy keeps the same batch until it can.
import { app, type InvocationContext } from "@azure/functions";
import { contextLog } from "../shared/flow/context-log.ts";
import { reconcileEffects as reconcile } from "../shared/flow/wake/reconcile-effects.ts";
import { runtime } from "../shared/runtime.ts";

export async function reconcileEffects(
  documents: unknown[],
  context: InvocationContext,
): Promise<void> {
  const log = contextLog(context);
  const ports = (await runtime()).turn(log);
  const { cases, hinted, alerts, failed } = await reconcile(ports, documents);
  if (hinted + alerts + failed > 0) log.info("reconciled", { cases, hinted, alerts, failed });
}

app.cosmosDB("reconcile-effects", {
  connection: "Cosmos",
  databaseName: "%COSMOS_DATABASE%",
  containerName: "cases",
  leaseContainerName: "leases",
  leaseContainerPrefix: "reconcile-effects",
  startFromBeginning: true,
  maxItemsPerInvocation: 1000,
  feedPollDelay: 2000,
  retry: {
    strategy: "exponentialBackoff",
    maxRetryCount: -1,
    minimumInterval: 1000,
    maximumInterval: 30_000,
  },
  handler: reconcileEffects,
});
