// A webhook becomes an event of a case. The answer is 202 once the event is durable, or a problem that says what to do.
//
// Anonymous at the host, because the signature is the key: it is verified over the raw bytes before anything else
// is believed.
import {
  app,
  type HttpRequest,
  type HttpResponseInit,
  type InvocationContext,
} from "@azure/functions";
import { contextLog } from "../shared/flow/context-log.ts";
import { recordEvent } from "../shared/flow/intake/record-event.ts";
import { runtime } from "../shared/runtime.ts";

export async function receiveWebhook(
  request: HttpRequest,
  context: InvocationContext,
): Promise<HttpResponseInit> {
  const log = contextLog(context);
  const ports = (await runtime()).intake(log);
  const traceparent = context.traceContext?.traceParent;
  const result = await recordEvent(ports, {
    source: request.params["source"] ?? "",
    header: (name) => request.headers.get(name),
    body: Buffer.from(await request.arrayBuffer()),
    ...(traceparent === undefined ? {} : { traceparent }),
  });
  switch (result.kind) {
    case "recorded":
      log.info("event recorded", result.log);
      break;
    case "refused":
      log.warn("delivery refused", result.log);
      break;
  }
  return result.response;
}

app.http("receive-webhook", {
  methods: ["POST"],
  authLevel: "anonymous",
  route: "webhooks/{source}",
  handler: receiveWebhook,
});
