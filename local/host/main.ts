// The host as a process of its own:
//
//   node local/host/main.ts --app DIR --settings FILE --port N --data DIR [--workers N] [--principal JSON] [--personas JSON]
//
// JSON is the caller that Easy Auth would name: {"id": "...", "name": "...", "roles": ["..."]}; personas are a list of such.
// FILE has the shape of local.settings.json ("Values", flat strings); a variable of the environment wins over the file.
// To a parent that forked it, it sends {kind: "ready", url, keys, functions} and then every HostEvent. SIGTERM and
// SIGINT drain. A port in use, a missing app and the like are one sentence and exit code 1.
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { type Host, type HostEvent, type Principal, startHost } from "./server.ts";

function settingsFrom(path: string): Record<string, string> {
  const file = JSON.parse(readFileSync(path, "utf8")) as {
    IsEncrypted?: boolean;
    Values?: Record<string, unknown>;
    ConnectionStrings?: Record<string, string>;
  };
  if (file.IsEncrypted === true) throw new Error(`${path} is encrypted; set "IsEncrypted": false.`);
  const settings: Record<string, string> = {};
  for (const [name, value] of Object.entries(file.Values ?? {})) {
    settings[name] = process.env[name] ?? String(value);
  }
  for (const [name, value] of Object.entries(file.ConnectionStrings ?? {})) {
    settings[`ConnectionStrings:${name}`] = value;
  }
  return settings;
}

function print(event: HostEvent): void {
  if (event.kind === "log") {
    process.stderr.write(`[${event.level}] ${event.category}: ${event.message}\n`);
  } else if (event.kind === "workerExited") {
    process.stderr.write(`worker ${event.worker} ended (${event.signal ?? event.code})\n`);
  }
}

async function start(): Promise<Host> {
  const { values } = parseArgs({
    options: {
      app: { type: "string", default: "." },
      settings: { type: "string" },
      port: { type: "string", default: "7071" },
      data: { type: "string", default: ".local/host" },
      workers: { type: "string", default: "1" },
      principal: { type: "string" },
      personas: { type: "string" },
    },
  });
  const host = await startHost({
    appFolder: values.app,
    settings: values.settings === undefined ? {} : settingsFrom(values.settings),
    port: Number(values.port),
    dataFolder: values.data,
    workers: Number(values.workers),
    ...(values.principal === undefined
      ? {}
      : { principal: JSON.parse(values.principal) as Principal }),
    ...(values.personas === undefined
      ? {}
      : { personas: JSON.parse(values.personas) as Principal[] }),
    onEvent: (event) => {
      if (process.send === undefined) print(event);
      else if (process.connected) process.send(event);
    },
  });
  const { url, keys, functions } = host;
  process.send?.({ kind: "ready", url, keys, functions });
  if (process.send === undefined) process.stderr.write(`listening on ${url}\n`);
  return host;
}

const starting = start();
starting.catch((error: unknown) => {
  process.stderr.write(`host: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});

let isStopping = false;
async function stop(): Promise<void> {
  if (isStopping) return;
  isStopping = true;
  const host = await starting;
  await host.close();
  process.exit(0);
}
for (const signal of ["SIGTERM", "SIGINT"] as const) {
  process.on(signal, () => void stop());
}
// A parent that is gone cannot ask for anything any more.
process.on("disconnect", () => void stop());
