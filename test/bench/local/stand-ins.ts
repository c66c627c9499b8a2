// The stand-ins, each a process of its own with fresh state; and the rival's server, which keeps everything in memory.
import { fork, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { freePorts } from "../../../local/start/azure/ports.ts";
import { requireRival } from "../rivals.ts";

const root = join(import.meta.dirname, "../../..");

export interface Server {
  connectionString: string;
  stop(): Promise<void>;
}

export async function startStandIn(room: "cosmos" | "service-bus"): Promise<Server> {
  const folder = mkdtempSync(join(tmpdir(), `bench-${room}-`));
  const entities = join(root, "infra/entities.json");
  const args = ["--data", folder, "--port", "0", "--entities", entities];
  const child = fork(join(root, "local", room, "main.ts"), args, {
    execArgv: ["--disable-warning=ExperimentalWarning"],
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const [ready] = (await once(child, "message")) as [{ connectionString: string }];
  return {
    connectionString: ready.connectionString,
    async stop() {
      await stopped(child);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The well-known key of Azure's emulator, which that server takes for granted. */
const emulatorKey =
  "C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM+4QDU5DE2nQ9nDuVTqobD4b8mGGyPMbIZnqyMsEcaGQy67XIw/Jw==";

export async function startVercelCosmos(): Promise<Server> {
  const [port = 0] = await freePorts(1);
  const entry = requireRival.resolve("@vercel/cosmosdb-server/lib/cli.js");
  const child = spawn(process.execPath, [entry, "--no-ssl", "-p", String(port)], {
    stdio: ["ignore", "ignore", "ignore"],
  });
  const endpoint = `http://127.0.0.1:${port}/`;
  await answering(endpoint);
  return {
    connectionString: `AccountEndpoint=${endpoint};AccountKey=${emulatorKey}`,
    stop: () => stopped(child),
  };
}

async function answering(url: string): Promise<void> {
  const endMs = performance.now() + 20_000;
  for (;;) {
    try {
      await (await fetch(url)).arrayBuffer();
      return;
    } catch (error) {
      if (!(error instanceof TypeError) || performance.now() > endMs) throw error;
    }
    await delay(50);
  }
}

export async function stopped(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  const timer = setTimeout(() => child.kill("SIGKILL"), 5000);
  await ended;
  clearTimeout(timer);
}
