// What the dead letters of a queue died of.
import { app, type HttpRequest, type InvocationContext } from "@azure/functions";
import { contextLog } from "../shared/flow/context-log.ts";
import {
  groupDeadLetters as act,
  groupDeadLettersRoute,
} from "../shared/flow/operate/dead-letters/list-dead-letters.ts";
import { registration } from "../shared/flow/operate/route.ts";
import { serve } from "../shared/flow/operate/serve.ts";
import { operating } from "../shared/runtime.ts";

export async function groupDeadLetters(request: HttpRequest, context: InvocationContext) {
  const log = contextLog(context);
  return serve(
    groupDeadLettersRoute,
    { request, log, running: operating(log) },
    ({ params, principal, query }, ports) => act(ports, { ...params, principal }, query),
  );
}

app.http("group-dead-letters", {
  ...registration(groupDeadLettersRoute),
  handler: groupDeadLetters,
});
