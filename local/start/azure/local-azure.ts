// The local Azure: providers, Service Bus, Cosmos DB and the Functions host with the built app in it,
// each a process of its own with its state in the state folder.
//
//   providers, Service Bus, Cosmos DB (together) -> grants -> Functions host
//
// One worker: when it is killed, the next one starts with nothing but what was durable.
import { createWriteStream, writeFileSync } from "node:fs";
import { join } from "node:path";
import { appSettings } from "./app-settings.ts";
import { grantActions } from "./grant-actions.ts";
import { startProcess } from "./managed-process.ts";
import type { ManagedProcess, ProcessPlan } from "./managed-process.ts";
import type { Ports } from "./ports.ts";
import { secretsOf } from "./sources.ts";
import type { Secrets } from "./sources.ts";
import { workerPidFile } from "./state-folder.ts";
import type { StateFolder } from "./state-folder.ts";

export interface WorkerExit {
  pid: number;
  code: number | null;
  signal: string | null;
}

export interface LocalAzure {
  hostUrl: string;
  providersUrl: string;
  cosmosUrl: string;
  /** The host's own key: opens every function, for whoever runs this machine. */
  hostKey: string;
  secrets: Secrets;
  workerPid(): number | undefined;
  /** Every worker that has ended so far, in order. */
  workerExits(): readonly WorkerExit[];
  stop(): Promise<void>;
}

type ProvidersReady = { url: string };
type ServiceBusReady = { connectionString: string };
type CosmosReady = { endpoint: string; connectionString: string };
type HostReady = { url: string; keys: { master: string; host: string }; functions: unknown[] };

type HostEvent =
  | { kind: "workerStarted"; pid: number }
  | ({ kind: "workerExited" } & WorkerExit)
  | { kind: "log"; level: string; category: string; message: string }
  | { kind: "invocation" };

const root = join(import.meta.dirname, "../../..");
const entities = join(root, "infra/entities.json");

interface Plan {
  state: StateFolder;
  ports: Ports;
  say: (line: string) => void;
  /** One line per step while it sets up. */
  step: (what: string, detail: string) => void;
}

async function startStores(plan: Plan, started: ManagedProcess<unknown>[]) {
  const { ports, step } = plan;
  async function start<Ready>(
    name: string,
    room: string,
    args: string[],
    detail: (ready: Ready) => string,
  ): Promise<Ready> {
    const data = await plan.state.folder(room);
    const running = await startProcess<Ready>({
      ...(await outline(plan, name, room)),
      args: ["--data", data, ...args],
    });
    started.push(running);
    step(name, detail(running.ready));
    return running.ready;
  }
  const bus = [
    "--port",
    String(ports.serviceBus),
    "--control-port",
    String(ports.serviceBusControl),
  ];
  return Promise.all([
    start<ProvidersReady>(
      "providers",
      "providers",
      ["--port", String(ports.providers)],
      ({ url }) => `${url}  a supplier portal and an email provider`,
    ),
    start<ServiceBusReady>(
      "Service Bus",
      "service-bus",
      [...bus, "--entities", entities],
      () => `amqp://127.0.0.1:${ports.serviceBus}`,
    ),
    start<CosmosReady>(
      "Cosmos DB",
      "cosmos",
      ["--port", String(ports.cosmos), "--entities", entities],
      ({ endpoint }) => endpoint,
    ),
  ]);
}

async function outline(plan: Plan, name: string, room: string): Promise<Omit<ProcessPlan, "args">> {
  const logFile = join(await plan.state.folder("logs"), `${room}.log`);
  return { name, entry: `local/${room}/main.ts`, logFile, say: plan.say };
}

export async function startLocalAzure(plan: Plan): Promise<LocalAzure> {
  const secrets = await secretsOf(plan.state);
  const started: ManagedProcess<unknown>[] = [];
  const exits: WorkerExit[] = [];
  let workerPid: number | undefined;

  const appLog = createWriteStream(join(await plan.state.folder("logs"), "app.log"), {
    flags: "a",
  });

  const hear = (message: { kind: string }): void => {
    const event = message as HostEvent;
    if (event.kind === "log") {
      const at = new Date().toISOString();
      appLog.write(`${at} [${event.level}] ${event.category}: ${event.message}\n`);
    }
    if (event.kind === "workerStarted") {
      workerPid = event.pid;
      writeFileSync(join(plan.state.path, workerPidFile), `${workerPid}\n`);
    }
    if (event.kind !== "workerExited") return;
    const { pid, code, signal } = event;
    exits.push({ pid, code, signal });
    if (workerPid === pid) workerPid = undefined;
  };

  async function stop(): Promise<void> {
    // The host first, so that it can still say goodbye to the stores.
    const [host, ...others] = started.toReversed();
    await host?.stop();
    await Promise.all(others.map((other) => other.stop()));
  }

  try {
    const [providers, serviceBus, cosmos] = await startStores(plan, started);
    const newGrants = await grantActions(cosmos.connectionString);
    plan.step("grants", newGrants === 0 ? "kept as they were" : `${newGrants} given`);
    const settings = appSettings({
      serviceBusConnection: serviceBus.connectionString,
      cosmosConnection: cosmos.connectionString,
      providersUrl: providers.url,
      secrets,
    });
    await plan.state.writeJson("local.settings.json", { IsEncrypted: false, Values: settings });
    const host = await startHost(plan, hear);
    started.push(host);
    const { url, keys, functions } = host.ready;
    plan.step("Functions host", `${url}  ${functions.length} functions, worker ${workerPid}`);
    return {
      hostUrl: url,
      providersUrl: providers.url,
      cosmosUrl: cosmos.endpoint.replace(/\/$/, ""),
      hostKey: keys.host,
      secrets,
      workerPid: () => workerPid,
      workerExits: () => exits,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Whom a visitor may be; the first one without a choice. The host's sign-in page, a cookie or a header chooses. */
const personas = [
  { id: "local-operator", name: "Local admin", roles: ["admin"] },
  { id: "rita", name: "Rita Reader", roles: ["reader"] },
  { id: "olga", name: "Olga Operator", roles: ["operator"] },
  { id: "otto", name: "Otto Operator, acme only", roles: ["operator@acme"] },
  { id: "abel", name: "Abel Approver", roles: ["approver"] },
  { id: "ivo", name: "Ivo Overrider", roles: ["overrider"] },
  { id: "una", name: "Una Overrider", roles: ["overrider"] },
];

async function startHost(
  plan: Plan,
  onMessage: (message: { kind: string }) => void,
): Promise<ManagedProcess<HostReady>> {
  return startProcess<HostReady>({
    ...(await outline(plan, "Functions host", "host")),
    onMessage,
    args: Object.entries({
      "--app": root,
      "--settings": join(plan.state.path, "local.settings.json"),
      "--data": await plan.state.folder("host"),
      "--port": String(plan.ports.host),
      "--workers": "1",
      "--personas": JSON.stringify(personas),
    }).flat(),
  });
}
