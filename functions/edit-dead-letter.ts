// Sends another hint instead of a dead letter, and keeps the original as a record.
import { app, type HttpRequest, type InvocationContext } from "@azure/functions";
import { contextLog } from "../shared/flow/context-log.ts";
import { editDeadLetter as act } from "../shared/flow/operate/dead-letters/edit-dead-letter.ts";
import { editRoute } from "../shared/flow/operate/dead-letters/move.ts";
import { registration } from "../shared/flow/operate/route.ts";
import { serve } from "../shared/flow/operate/serve.ts";
import { operating } from "../shared/runtime.ts";

export async function editDeadLetter(request: HttpRequest, context: InvocationContext) {
  const log = contextLog(context);
  return serve(
    editRoute,
    { request, log, running: operating(log) },
    ({ body, params, principal }, ports) => act(ports, { ...params, body, principal }),
  );
}

app.http("edit-dead-letter", { ...registration(editRoute), handler: editDeadLetter });
