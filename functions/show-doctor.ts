// What the app sees of itself and its surroundings, for `ops doctor`.
import { app, type HttpRequest, type InvocationContext } from "@azure/functions";
import { contextLog } from "../shared/flow/context-log.ts";
import { showDoctor as show, showDoctorRoute } from "../shared/flow/operate/about/doctor.ts";
import { registration } from "../shared/flow/operate/route.ts";
import { serve } from "../shared/flow/operate/serve.ts";
import { operating } from "../shared/runtime.ts";

export async function showDoctor(request: HttpRequest, context: InvocationContext) {
  const log = contextLog(context);
  return serve(showDoctorRoute, { request, log, running: operating(log) }, (_call, ports) =>
    show(ports),
  );
}

app.http("show-doctor", { ...registration(showDoctorRoute), handler: showDoctor });
