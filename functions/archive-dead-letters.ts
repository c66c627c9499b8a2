// Takes dead letters out of their queue and keeps them as records.
import { app, type HttpRequest, type InvocationContext } from "@azure/functions";
import { contextLog } from "../shared/flow/context-log.ts";
import { archiveRoute } from "../shared/flow/operate/dead-letters/move.ts";
import { runDeadLetters } from "../shared/flow/operate/dead-letters/run-dead-letters.ts";
import { registration } from "../shared/flow/operate/route.ts";
import { serve } from "../shared/flow/operate/serve.ts";
import { operating } from "../shared/runtime.ts";

export async function archiveDeadLetters(request: HttpRequest, context: InvocationContext) {
  const log = contextLog(context);
  return serve(
    archiveRoute,
    { request, log, running: operating(log) },
    ({ body, params, principal }, ports) =>
      runDeadLetters(ports, { ...params, how: "archive", body, principal }),
  );
}

app.http("archive-dead-letters", { ...registration(archiveRoute), handler: archiveDeadLetters });
