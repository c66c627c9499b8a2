// The providers as a process: node local/providers/main.ts --data DIR --port N [--latency-ms N]
// Tells a parent that forked it {kind: "ready", url}; ends on SIGTERM and SIGINT.
import { parseArgs } from "node:util";
import { startProviders } from "./server.ts";

const { values } = parseArgs({
  options: {
    data: { type: "string" },
    port: { type: "string", default: "7080" },
    "key-retention-ms": { type: "string" },
    "latency-ms": { type: "string", default: "0" },
  },
});

function fail(sentence: string, code: number): never {
  process.stderr.write(`providers: ${sentence}\n`);
  process.exit(code);
}

if (values.data === undefined) {
  fail("usage: node local/providers/main.ts --data DIR [--port N] [--key-retention-ms N]", 2);
}
const retention = values["key-retention-ms"];
try {
  const providers = await startProviders({
    dataFolder: values.data,
    port: Number(values.port),
    latencyMs: Number(values["latency-ms"]),
    ...(retention === undefined ? {} : { keyRetentionMs: Number(retention) }),
  });
  process.send?.({ kind: "ready", url: providers.url });
  process.stdout.write(`providers: serving on ${providers.url}\n`);
  const stop = (): void => void providers.close().then(() => process.exit(0));
  process.on("SIGTERM", stop);
  process.on("SIGINT", stop);
} catch (error) {
  const { code, path } = error as NodeJS.ErrnoException;
  if (code === "EADDRINUSE") {
    fail(`port ${values.port} on 127.0.0.1 is taken; give another one with --port.`, 3);
  }
  if (code === "EACCES" || code === "EPERM") {
    fail(`cannot write in ${path ?? values.data}; make it writable or give another --data.`, 3);
  }
  throw error;
}
