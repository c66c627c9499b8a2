// npm run bench:local [-- --count 2000 --concurrency 32 --json --no-rival]
//
// Messages a second and operations a second of the stand-ins through the real SDKs, next to @vercel/cosmosdb-server in the same
// run. The stand-ins answer once the disk has it (group commit with fsync); the rival keeps everything in memory.
import { parseArgs } from "node:util";
import { loadAverage } from "../cpu.ts";
import { installRivals, versionOf } from "../rivals.ts";
import { cosmosRates, type CosmosRates } from "./cosmos-rates.ts";
import { serviceBusRates } from "./service-bus-rates.ts";
import { startStandIn, startVercelCosmos, type Server } from "./stand-ins.ts";

const { values } = parseArgs({
  options: {
    count: { type: "string", default: "2000" },
    concurrency: { type: "string", default: "32" },
    json: { type: "boolean", default: false },
    "no-rival": { type: "boolean", default: false },
  },
});

const say = (line: string) => void process.stderr.write(`${line}\n`);

async function against<Result>(
  start: () => Promise<Server>,
  measure: (server: Server) => Promise<Result>,
): Promise<Result> {
  const server = await start();
  try {
    return await measure(server);
  } finally {
    await server.stop();
  }
}

function ratio(ours: CosmosRates, theirs: CosmosRates) {
  const of = (name: Exclude<keyof CosmosRates, "batchIsAtomic">) => {
    const [own, other] = [ours[name], theirs[name]];
    if ("cannot" in own || "cannot" in other) return undefined;
    return Math.round((own.perSecond / other.perSecond) * 100) / 100;
  };
  return { create: of("create"), read: of("read"), query: of("query"), batch: of("batch") };
}

async function main(): Promise<number> {
  const sizes = { count: Number(values.count), concurrency: Number(values.concurrency) };
  for (const [name, number] of Object.entries(sizes)) {
    if (Number.isInteger(number) && number > 0) continue;
    say(`bench:local: --${name} must be a whole number from 1.`);
    return 2;
  }
  const loadBefore = loadAverage();
  const serviceBus = await against(
    () => startStandIn("service-bus"),
    (server) => serviceBusRates(server, sizes),
  );
  const cosmos = await against(
    () => startStandIn("cosmos"),
    (server) => cosmosRates(server, sizes),
  );
  const report = {
    ...sizes,
    load: { before: loadBefore, after: loadAverage() },
    serviceBus: { durable: "fsync, group commit", ...serviceBus },
    cosmos: { durable: "fsync, group commit", ...cosmos },
    ...(values["no-rival"] ? {} : await rival(cosmos, sizes)),
  };
  console.log(values.json ? JSON.stringify(report) : report);
  return 0;
}

async function rival(cosmos: CosmosRates, sizes: { count: number; concurrency: number }) {
  installRivals(["@vercel/cosmosdb-server"], say);
  const theirs = await against(startVercelCosmos, (server) => cosmosRates(server, sizes));
  const version = versionOf("@vercel/cosmosdb-server");
  return {
    vercelCosmosdbServer: { version, durable: "no, in memory", ...theirs },
    /** Above one: the stand-in is ahead. */
    ratio: ratio(cosmos, theirs),
  };
}

process.exit(await main());
