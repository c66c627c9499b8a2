// One hint, one turn. The session gives order; the ledger gives safety.
//
// Nothing of the message matters but its case: identity comes from the body, because a host may re-read properties
// as JSON. Waiting is no failure and must not use up the delivery count: whoever wrote `dueAtMs` scheduled the hint.
// A throw means only that this worker could not do its work.
import { app, type InvocationContext } from "@azure/functions";
import { advanceCase } from "../shared/flow/advance-case.ts";
import { contextLog } from "../shared/flow/context-log.ts";
import { parseHint } from "../shared/flow/parse-hint.ts";
import { runtime } from "../shared/runtime.ts";

export async function processCase(message: unknown, context: InvocationContext): Promise<void> {
  const log = contextLog(context);
  const hint = parseHint(message);
  const ports = (await runtime()).turn(log);
  const result = await advanceCase(ports, hint.key);
  log.info("case advanced", { caseKey: hint.caseKey, result: result.kind, reason: hint.reason });
}

app.serviceBusQueue("process-case", {
  connection: "ServiceBus",
  queueName: "cases",
  isSessionsEnabled: true,
  handler: processCase,
});
