// The same turn, from queue `reviews` and at its own pace: stale started effects, whose settling may be slow.
import { randomUUID } from "node:crypto";
import { app, type InvocationContext } from "@azure/functions";
import { contextLog } from "../shared/flow/context-log.ts";
import { handleHint } from "../shared/flow/wake/handle-hint.ts";
import { runtime } from "../shared/runtime.ts";

export async function reviewEffect(message: unknown, context: InvocationContext): Promise<void> {
  const ports = (await runtime()).turn(contextLog(context));
  await handleHint(ports, message, {
    queue: "reviews",
    deliveryCount: context.triggerMetadata?.["deliveryCount"],
    wallClockMs: Date.now(),
    random: randomUUID,
    traceparent: context.traceContext?.traceParent,
  });
}

app.serviceBusQueue("review-effect", {
  connection: "ServiceBus",
  queueName: "reviews",
  isSessionsEnabled: true,
  handler: reviewEffect,
});
