// Whether this worker answers at all. Anybody may ask; nothing else is touched.
import { app } from "@azure/functions";
import { healthAnswer } from "../shared/flow/health.ts";

export async function healthLive() {
  return healthAnswer({ status: "live" });
}

app.http("health-live", {
  methods: ["GET"],
  route: "health/live",
  authLevel: "anonymous",
  handler: healthLive,
});
