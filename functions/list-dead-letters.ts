// The dead letters of a queue, oldest first.
import { app, type HttpRequest, type InvocationContext } from "@azure/functions";
import { contextLog } from "../shared/flow/context-log.ts";
import {
  listDeadLetters as act,
  listDeadLettersRoute,
} from "../shared/flow/operate/dead-letters/list-dead-letters.ts";
import { registration } from "../shared/flow/operate/route.ts";
import { serve } from "../shared/flow/operate/serve.ts";
import { operating } from "../shared/runtime.ts";

export async function listDeadLetters(request: HttpRequest, context: InvocationContext) {
  const log = contextLog(context);
  return serve(
    listDeadLettersRoute,
    { request, log, running: operating(log) },
    ({ params, principal, query }, ports) => act(ports, { ...params, principal }, query),
  );
}

app.http("list-dead-letters", { ...registration(listDeadLettersRoute), handler: listDeadLetters });
