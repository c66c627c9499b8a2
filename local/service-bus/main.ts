// The broker as a process:
//   node local/service-bus/main.ts --data DIR [--port N] [--control-port N] [--entities FILE]
// When ready it prints one line and, if it was forked, sends {kind: "ready", connectionString,
// controlUrl, certificatePath}. SIGTERM and SIGINT close it cleanly; a killed one loses nothing it has answered.

import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";

import type { ServiceBusEntities } from "./entities.ts";
import { startServiceBus } from "./server.ts";

const { values } = parseArgs({
  options: {
    data: { type: "string" },
    port: { type: "string", default: "5672" },
    "control-port": { type: "string", default: "0" },
    entities: { type: "string" },
  },
});

try {
  await run();
} catch (error) {
  console.error(sentenceFor(error));
  process.exit(1);
}

async function run(): Promise<void> {
  if (values.data === undefined) throw new Error("Say where to keep the messages: --data DIR");
  const serviceBus = await startServiceBus({
    dataFolder: values.data,
    port: Number(values.port),
    controlPort: Number(values["control-port"]),
    ...(values.entities !== undefined && {
      entities: JSON.parse(readFileSync(values.entities, "utf8")) as ServiceBusEntities,
    }),
  });
  const { connectionString, controlUrl, certificate } = serviceBus;
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    process.once(signal, () => void serviceBus.close().then(() => process.exit(0)));
  }
  const besides = `control: ${controlUrl}, certificate: ${certificate.path}`;
  console.log(`Service Bus is ready: ${connectionString} (${besides})`);
  process.send?.({
    kind: "ready",
    connectionString,
    controlUrl,
    certificatePath: certificate.path,
  });
}

function sentenceFor(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code, port } = error as NodeJS.ErrnoException & { port?: number };
  if (code === "EADDRINUSE")
    return `Port ${port} is in use; choose another with --port or --control-port.`;
  if (error.message.includes("database is locked")) {
    return `Another broker is using ${values.data}; stop it, or choose another folder with --data.`;
  }
  return error.message;
}
