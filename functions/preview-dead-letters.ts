// What a resubmit of dead letters would do, by the ledger.
import { app, type HttpRequest, type InvocationContext } from "@azure/functions";
import { contextLog } from "../shared/flow/context-log.ts";
import {
  previewDeadLetters as act,
  previewDeadLettersRoute,
} from "../shared/flow/operate/dead-letters/list-dead-letters.ts";
import { registration } from "../shared/flow/operate/route.ts";
import { serve } from "../shared/flow/operate/serve.ts";
import { operating } from "../shared/runtime.ts";

export async function previewDeadLetters(request: HttpRequest, context: InvocationContext) {
  const log = contextLog(context);
  return serve(
    previewDeadLettersRoute,
    { request, log, running: operating(log) },
    ({ params, principal, query }, ports) => act(ports, { ...params, principal }, query),
  );
}

app.http("preview-dead-letters", {
  ...registration(previewDeadLettersRoute),
  handler: previewDeadLetters,
});
