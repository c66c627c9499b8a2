// The server as a process of its own:
//
//   node local/cosmos/main.ts --data DIR [--port N] [--entities FILE] [--partitions N]
//
// FILE is JSON with a member `cosmos` (as infra/entities.json) or that member itself. When ready it
// tells its parent, if it has one, and prints one line. SIGTERM and SIGINT close it cleanly.
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import type { CosmosEntities } from "./server.ts";
import { startCosmos } from "./server.ts";

function fail(sentence: string): never {
  process.stderr.write(`cosmos: ${sentence}\n`);
  process.exit(1);
}

function readEntities(path: string): CosmosEntities {
  const parsed = JSON.parse(readFileSync(path, "utf8")) as CosmosEntities & {
    cosmos?: CosmosEntities;
  };
  return parsed.cosmos ?? parsed;
}

const { values } = parseArgs({
  options: {
    data: { type: "string" },
    port: { type: "string" },
    entities: { type: "string" },
    partitions: { type: "string" },
  },
});
if (values.data === undefined) fail("usage: node local/cosmos/main.ts --data DIR [--port N]");

try {
  const cosmos = await startCosmos({
    dataFolder: values.data,
    port: Number(values.port ?? 0),
    physicalPartitions: Number(values.partitions ?? 1),
    ...(values.entities === undefined ? {} : { entities: readEntities(values.entities) }),
  });
  const stop = (): void => {
    void cosmos.close().then(() => process.exit(0));
  };
  process.once("SIGTERM", stop);
  process.once("SIGINT", stop);
  // Started by a parent that has gone: nobody is left who would stop it.
  process.once("disconnect", stop);
  const { endpoint, connectionString } = cosmos;
  console.log(`cosmos: ready on ${endpoint}`);
  process.send?.({ kind: "ready", endpoint, connectionString });
} catch (error) {
  if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
  fail(`port ${values.port} is taken by another program; stop it or choose another --port.`);
}
