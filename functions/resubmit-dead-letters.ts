// Sends dead letters again: the copy first, and only then the original goes.
import { app, type HttpRequest, type InvocationContext } from "@azure/functions";
import { contextLog } from "../shared/flow/context-log.ts";
import { resubmitRoute } from "../shared/flow/operate/dead-letters/move.ts";
import { runDeadLetters } from "../shared/flow/operate/dead-letters/run-dead-letters.ts";
import { registration } from "../shared/flow/operate/route.ts";
import { serve } from "../shared/flow/operate/serve.ts";
import { operating } from "../shared/runtime.ts";

export async function resubmitDeadLetters(request: HttpRequest, context: InvocationContext) {
  const log = contextLog(context);
  return serve(
    resubmitRoute,
    { request, log, running: operating(log) },
    ({ body, params, principal }, ports) =>
      runDeadLetters(ports, { ...params, how: "resubmit", body, principal }),
  );
}

app.http("resubmit-dead-letters", { ...registration(resubmitRoute), handler: resubmitDeadLetters });
