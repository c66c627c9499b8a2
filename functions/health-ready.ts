// Whether this worker can work: 200, or 503 with what fails. Anybody may ask; no name and no reason is told.
import { app, type HttpRequest, type InvocationContext } from "@azure/functions";
import { contextLog } from "../shared/flow/context-log.ts";
import { healthAnswer, readiness } from "../shared/flow/health.ts";
import { operating } from "../shared/runtime.ts";

export async function healthReady(_request: HttpRequest, context: InvocationContext) {
  const log = contextLog(context);
  return healthAnswer(await readiness(operating(log), log));
}

app.http("health-ready", {
  methods: ["GET"],
  route: "health/ready",
  authLevel: "anonymous",
  handler: healthReady,
});
