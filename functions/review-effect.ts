// The same turn, from queue `reviews` and at its own pace: stale started effects, whose settling may be slow.
import { app, type InvocationContext } from "@azure/functions";
import { advanceCase } from "../shared/flow/advance-case.ts";
import { contextLog } from "../shared/flow/context-log.ts";
import { parseHint } from "../shared/flow/parse-hint.ts";
import { runtime } from "../shared/runtime.ts";

export async function reviewEffect(message: unknown, context: InvocationContext): Promise<void> {
  const log = contextLog(context);
  const hint = parseHint(message);
  const ports = (await runtime()).turn(log);
  const result = await advanceCase(ports, hint.key);
  log.info("case reviewed", { caseKey: hint.caseKey, result: result.kind, reason: hint.reason });
}

app.serviceBusQueue("review-effect", {
  connection: "ServiceBus",
  queueName: "reviews",
  isSessionsEnabled: true,
  handler: reviewEffect,
});
