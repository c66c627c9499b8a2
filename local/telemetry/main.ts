// The local collector as a process: node local/telemetry/main.ts --port N
// Tells a parent that forked it {kind: "ready", url}; ends on SIGTERM and SIGINT.
import { parseArgs } from "node:util";
import { startTelemetry } from "./server.ts";

const { values } = parseArgs({ options: { port: { type: "string", default: "7090" } } });

try {
  const telemetry = await startTelemetry({ port: Number(values.port) });
  process.send?.({ kind: "ready", url: telemetry.url });
  process.stdout.write(`telemetry: serving on ${telemetry.url}\n`);
  const stop = (): void => void telemetry.close().then(() => process.exit(0));
  process.on("SIGTERM", stop);
  process.on("SIGINT", stop);
} catch (error) {
  if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
  process.stderr.write(
    `telemetry: port ${values.port} on 127.0.0.1 is taken; give another one with --port.\n`,
  );
  process.exit(3);
}
