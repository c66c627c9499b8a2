// Which listeners each function needs: Service Bus and the change feed, one set per life of an instance. Timers and
// HTTP belong to the host as a whole and are not here. What a function lacks is found at start, as its own error.
import type { HostLog } from "../events.ts";
import type { Life, Listener } from "../instance.ts";
import type { Call, Invocations } from "../invocations.ts";
import { type AppSettings, connectionString, FunctionFault } from "../settings/app-settings.ts";
import { neededText } from "../settings/binding-text.ts";
import type { HostedFunction } from "../settings/functions.ts";
import type { HostJson } from "../settings/host-json.ts";
import { documentsCall, listenToCosmos } from "./cosmos/listener.ts";
import { schedule } from "./timer/ncrontab.ts";
import { bodyOnlyCall } from "./service-bus/message.ts";
import { entityOf } from "./service-bus/source.ts";
import { listenToServiceBus } from "./service-bus/listener.ts";
import { timerCall } from "./timer/timer.ts";

export type TriggerKind = "http" | "timer" | "serviceBus" | "cosmosDB";

const KINDS: Record<string, TriggerKind> = {
  httptrigger: "http",
  timertrigger: "timer",
  servicebustrigger: "serviceBus",
  cosmosdbtrigger: "cosmosDB",
};

export function triggerKind({ trigger }: HostedFunction): TriggerKind {
  const kind = KINDS[trigger.type.toLowerCase()];
  if (kind !== undefined) return kind;
  throw new FunctionFault(`The local host has no trigger of type "${trigger.type}".`);
}

export type ListenerContext = {
  settings: AppSettings;
  hostJson: HostJson;
  invocations: Invocations;
  log: HostLog;
};

type StartListener = (life: Life) => Listener;

function listenerOf(
  hosted: HostedFunction,
  { settings, hostJson, invocations, log }: ListenerContext,
): StartListener | undefined {
  const { trigger } = hosted;
  switch (triggerKind(hosted)) {
    case "http":
      return undefined;
    case "timer":
      schedule(neededText(trigger, "schedule"));
      return undefined;
    case "serviceBus": {
      const options = hostJson.extensions.serviceBus;
      entityOf(hosted);
      const connection = connectionString(
        settings,
        trigger["connection"],
        "AzureWebJobsServiceBus",
      );
      if (hosted.retry !== undefined) {
        const text = `'${hosted.name}': retry policies do not count for Service Bus; the queue's maxDeliveryCount does.`;
        log("warning", "Host.Startup", text, { functionName: hosted.name });
      }
      return (life) =>
        listenToServiceBus({
          life,
          hosted,
          connectionString: connection,
          options,
          invocations,
          log,
        });
    }
    case "cosmosDB": {
      neededText(trigger, "databaseName");
      neededText(trigger, "containerName");
      const connection = connectionString(settings, trigger["connection"], "CosmosDB");
      const leaseConnection = connectionString(
        settings,
        trigger["leaseConnection"] ?? trigger["connection"],
        "CosmosDB",
      );
      return (life) =>
        listenToCosmos({
          life,
          hosted,
          connectionString: connection,
          leaseConnectionString: leaseConnection,
          invocations,
          log,
        });
    }
  }
}

export type ListenerPlan = {
  usable: HostedFunction[];
  errors: { functionName: string; message: string }[];
  listenersOf: (life: Life) => Listener[];
};

export function planListeners(functions: HostedFunction[], context: ListenerContext): ListenerPlan {
  const starts: StartListener[] = [];
  const plan: ListenerPlan = {
    usable: [],
    errors: [],
    listenersOf: (life) => starts.map((start) => start(life)),
  };
  for (const hosted of functions) {
    try {
      const start = listenerOf(hosted, context);
      if (start !== undefined && !hosted.disabled) starts.push(start);
      plan.usable.push(hosted);
    } catch (error) {
      if (!(error instanceof FunctionFault)) throw error;
      plan.errors.push({ functionName: hosted.name, message: error.message });
    }
  }
  return plan;
}

/** The call that firing a function by hand makes (POST /admin/functions/{name}). */
export function manualCall(hosted: HostedFunction, input: string, baseUrl: string): Call {
  switch (triggerKind(hosted)) {
    case "timer":
      return timerCall(hosted, undefined, false);
    case "serviceBus":
      return bodyOnlyCall(hosted, input);
    case "cosmosDB":
      return documentsCall(hosted, input === "" ? "[]" : input);
    case "http": {
      const url = `${baseUrl}/admin/functions/${hosted.name}`;
      const http = { url, method: "POST", body: { bytes: Buffer.from(input) } };
      return { inputs: [{ name: hosted.trigger.name, data: { http } }] };
    }
  }
}
