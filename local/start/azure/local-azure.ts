// The local Azure: providers, Service Bus, Cosmos DB and the Functions host with the built app in it,
// each a process of its own with its state in the state folder.
//
//   providers, Service Bus, Cosmos DB (together) -> grants -> Functions host
//
// One worker unless more are asked for: when one is killed, the next starts with nothing but what was durable.
import { createWriteStream, writeFileSync } from "node:fs";
import { join } from "node:path";
import { appSettings } from "./app-settings.ts";
import { assertAppStarts, whyCannotStart } from "./assert-app-starts.ts";
import { grantActions } from "./grant-actions.ts";
import { startProcess } from "./managed-process.ts";
import type { ManagedProcess, ProcessPlan } from "./managed-process.ts";
import type { Ports } from "./ports.ts";
import { secretsOf } from "./sources.ts";
import type { Secrets } from "./sources.ts";
import { workerPidFile } from "./state-folder.ts";
import type { StateFolder } from "./state-folder.ts";
import { trustedCertificates } from "./trusted-certificates.ts";

export interface WorkerExit {
  pid: number;
  code: number | null;
  signal: string | null;
}

export interface LocalAzure {
  hostUrl: string;
  providersUrl: string;
  cosmosUrl: string;
  /** The page of measurements and traces; absent where they go to the user's own collector. */
  telemetryUrl: string | undefined;
  serviceBusConnection: string;
  /** The host's own key: opens every function, for whoever runs this machine. */
  hostKey: string;
  /** For whoever counts what was stored and sent. */
  cosmosConnection: string;
  serviceBusControlUrl: string;
  secrets: Secrets;
  workerPid(): number | undefined;
  /** The processes that run now, by room; `app` are the workers. */
  pids(): Readonly<Record<"app" | "host" | "cosmos" | "service-bus" | "providers", number[]>>;
  /** Every worker that has ended so far, in order. */
  workerExits(): readonly WorkerExit[];
  stop(): Promise<void>;
}

export interface Invoked {
  functionName: string;
  outcome: string;
  ms: number;
}

type ProvidersReady = { url: string };
type ServiceBusReady = { connectionString: string; controlUrl: string; certificatePath: string };
type CosmosReady = { endpoint: string; connectionString: string };
type TelemetryReady = { url: string };
type HostReady = { url: string; keys: { master: string; host: string }; functions: unknown[] };

type HostEvent =
  | { kind: "workerStarted"; pid: number }
  | ({ kind: "workerExited" } & WorkerExit)
  | { kind: "log"; level: string; category: string; message: string }
  | ({ kind: "invocation" } & Invoked);

const root = join(import.meta.dirname, "../../..");
const entities = join(root, "infra/entities.json");

interface Plan {
  state: StateFolder;
  ports: Ports;
  /** Instances of the app, competing as scaled-out ones do; one when absent. */
  workers?: number;
  /** How long each provider takes to answer; none when absent. */
  providerLatencyMs?: number;
  /** Beside what the app is told anyway. */
  settings?: Record<string, string>;
  onInvocation?: (invoked: Invoked) => void;
  /** The user's own collector; empty: nobody is told anything. */
  otlp?: string | undefined;
  say: (line: string) => void;
  /** One line per step while it sets up. */
  step: (what: string, detail: string) => void;
}

/** By room, in the order in which they were started. */
type Started = Map<string, ManagedProcess<unknown>>;

async function startStores(plan: Plan, started: Started) {
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
    started.set(room, running);
    step(name, detail(running.ready));
    return running.ready;
  }
  const bus = [
    "--port",
    String(ports.serviceBus),
    "--control-port",
    String(ports.serviceBusControl),
  ];
  const latency = ["--latency-ms", String(plan.providerLatencyMs ?? 0)];
  return Promise.all([
    start<ProvidersReady>(
      "providers",
      "providers",
      ["--port", String(ports.providers), ...latency],
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
    plan.otlp === undefined ? startTelemetry(plan, started) : undefined,
  ]);
}

/** Its address. It keeps nothing: what was measured before a restart is gone. */
async function startTelemetry(plan: Plan, started: Started): Promise<string> {
  const running = await startProcess<TelemetryReady>({
    ...(await outline(plan, "telemetry", "telemetry")),
    args: ["--port", String(plan.ports.telemetry)],
  });
  started.set("telemetry", running);
  plan.step("telemetry", `${running.ready.url}  measurements, and the trace of each case`);
  return running.ready.url;
}

async function outline(plan: Plan, name: string, room: string): Promise<Omit<ProcessPlan, "args">> {
  const logFile = join(await plan.state.folder("logs"), `${room}.log`);
  return { name, entry: `local/${room}/main.ts`, logFile, say: plan.say };
}

interface Workers {
  pids: Set<number>;
  exits: WorkerExit[];
  /** In the app's own words, if it has said so. */
  whyCannotStart(): string | undefined;
  hear(message: { kind: string }): void;
}

/** What the host tells of its workers, and the app's log. */
async function followWorkers(plan: Plan): Promise<Workers> {
  const pids = new Set<number>();
  const exits: WorkerExit[] = [];
  let refused: string | undefined;
  const logFile = join(await plan.state.folder("logs"), "app.log");
  const appLog = createWriteStream(logFile, { flags: "a" });
  return {
    pids,
    exits,
    whyCannotStart: () => refused,
    hear(message) {
      const event = message as HostEvent;
      switch (event.kind) {
        case "log": {
          const at = new Date().toISOString();
          refused = whyCannotStart(event.message) ?? refused;
          appLog.write(`${at} [${event.level}] ${event.category}: ${event.message}\n`);
          return;
        }
        case "workerStarted":
          pids.add(event.pid);
          writeFileSync(join(plan.state.path, workerPidFile), `${event.pid}\n`);
          return;
        case "workerExited": {
          const { pid, code, signal } = event;
          exits.push({ pid, code, signal });
          pids.delete(pid);
          return;
        }
        case "invocation":
          plan.onInvocation?.(event);
      }
    },
  };
}

export async function startLocalAzure(plan: Plan): Promise<LocalAzure> {
  const secrets = await secretsOf(plan.state);
  const started: Started = new Map();
  const workers = await followWorkers(plan);

  async function stop(): Promise<void> {
    // The host first, so that it can still say goodbye to the stores.
    const [host, ...others] = [...started.values()].toReversed();
    await host?.stop();
    await Promise.all(others.map((other) => other.stop()));
  }

  try {
    const [providers, serviceBus, cosmos, telemetryUrl] = await startStores(plan, started);
    const newGrants = await grantActions(cosmos.connectionString);
    plan.step("grants", newGrants === 0 ? "kept as they were" : `${newGrants} given`);
    const trusted = await trustedCertificates(plan.state, serviceBus.certificatePath);
    const settings = {
      ...appSettings({
        otlpEndpoint: telemetryUrl ?? plan.otlp ?? "",
        serviceBusConnection: serviceBus.connectionString,
        trustedCertificatesPath: trusted,
        cosmosConnection: cosmos.connectionString,
        providersUrl: providers.url,
        secrets,
      }),
      ...plan.settings,
    };
    await plan.state.writeJson("local.settings.json", { IsEncrypted: false, Values: settings });
    const host = await startHost(plan, trusted, workers.hear);
    started.set("host", host);
    const { url, keys, functions } = host.ready;
    await assertAppStarts(url, workers.whyCannotStart);
    const workerPid = () => [...workers.pids].at(-1);
    plan.step("Functions host", `${url}  ${functions.length} functions, worker ${workerPid()}`);
    return {
      hostUrl: url,
      providersUrl: providers.url,
      cosmosUrl: cosmos.endpoint.replace(/\/$/, ""),
      cosmosConnection: cosmos.connectionString,
      serviceBusControlUrl: serviceBus.controlUrl,
      telemetryUrl,
      serviceBusConnection: serviceBus.connectionString,
      hostKey: keys.host,
      secrets,
      workerPid,
      pids: () => ({ app: [...workers.pids], ...pidsByRoom(started) }),
      workerExits: () => workers.exits,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

function pidsByRoom(started: Started) {
  const of = (room: string): number[] => [started.get(room)?.pid() ?? []].flat();
  return {
    host: of("host"),
    cosmos: of("cosmos"),
    "service-bus": of("service-bus"),
    providers: of("providers"),
  };
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
  trustedCertificatesPath: string,
  onMessage: (message: { kind: string }) => void,
): Promise<ManagedProcess<HostReady>> {
  return startProcess<HostReady>({
    ...(await outline(plan, "Functions host", "host")),
    env: { NODE_EXTRA_CA_CERTS: trustedCertificatesPath },
    onMessage,
    args: Object.entries({
      "--app": root,
      "--settings": join(plan.state.path, "local.settings.json"),
      "--data": await plan.state.folder("host"),
      "--port": String(plan.ports.host),
      "--workers": String(plan.workers ?? 1),
      "--personas": JSON.stringify(personas),
    }).flat(),
  });
}
