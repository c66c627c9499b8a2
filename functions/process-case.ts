// One hint, one turn. The session gives order; the ledger gives safety.
//
// Nothing of the message matters but its case: identity comes from the body, because a host may re-read properties
// as JSON. Waiting is no failure and must not use up the delivery count: whoever wrote `dueAtMs` scheduled the hint.
// A throw means only that this worker could not do its work.
import { randomUUID } from "node:crypto";
import { app, type InvocationContext } from "@azure/functions";
import { contextLog } from "../shared/flow/context-log.ts";
import { handleHint } from "../shared/flow/wake/handle-hint.ts";
import { runtime } from "../shared/runtime.ts";

export async function processCase(message: unknown, context: InvocationContext): Promise<void> {
  const ports = (await runtime()).turn(contextLog(context));
  await handleHint(ports, message, {
    queue: "cases",
    deliveryCount: context.triggerMetadata?.["deliveryCount"],
    wallClockMs: Date.now(),
    random: randomUUID,
    traceparent: context.traceContext?.traceParent,
  });
}

app.serviceBusQueue("process-case", {
  connection: "ServiceBus",
  queueName: "cases",
  isSessionsEnabled: true,
  handler: processCase,
});
