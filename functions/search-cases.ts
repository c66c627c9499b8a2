// The cases of a tenant, by what an operator knows of them.
import { app, type HttpRequest, type InvocationContext } from "@azure/functions";
import { contextLog } from "../shared/flow/context-log.ts";
import {
  searchCases as search,
  searchCasesRoute,
} from "../shared/flow/operate/cases/search-cases.ts";
import { registration } from "../shared/flow/operate/route.ts";
import { serve } from "../shared/flow/operate/serve.ts";
import { operating } from "../shared/runtime.ts";

export async function searchCases(request: HttpRequest, context: InvocationContext) {
  const log = contextLog(context);
  return serve(
    searchCasesRoute,
    { request, log, running: operating(log) },
    ({ params, query }, ports) => search(ports, params.tenant, query),
  );
}

app.http("search-cases", { ...registration(searchCasesRoute), handler: searchCases });
