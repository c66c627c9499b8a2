// The same cases on Restate: its server and one service process, durable as it is by default (write-ahead log with fsync),
// against the same kind of provider process with the same latency. The webhook's signature is verified in its handler.
import { fork, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdtempSync, openSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { freePorts } from "../../../local/start/azure/ports.ts";
import { signature } from "../../../local/start/run/feed.ts";
import { benchCase, type BenchCase } from "../case.ts";
import { closedLoop, type Timing } from "../closed-loop.ts";
import { cpuMs } from "../cpu.ts";
import { followJournal, notOnce } from "../journal.ts";
import { stopped } from "../local/stand-ins.ts";
import { installRivals, requireRival, rivalsFolder, versionOf } from "../rivals.ts";
import type { RunOptions } from "../app/run-app.ts";

export interface RestateResult extends Timing {
  version: string;
  durable: string;
  cpuMsPerCase: { server: number; service: number; providers: number };
  wrong: string[];
}

const readyWithinMs = 60_000;

interface Rig {
  ingressUrl: string;
  providersUrl: string;
  secret: string;
  pids: { server: number; service: number; providers: number };
}

export async function runRestate(
  options: RunOptions,
  say: (line: string) => void,
): Promise<RestateResult> {
  installRivals(["@restatedev/restate-server", "@restatedev/restate-sdk"], say);
  const folder = mkdtempSync(join(rivalsFolder, "restate-"));
  const children: ChildProcess[] = [];
  try {
    const rig = await startRig(folder, options, children);
    say(`Restate ${versionOf("@restatedev/restate-server")}: ${rig.ingressUrl}`);
    return await measure(rig, options);
  } finally {
    await Promise.all(children.map(stopped));
    rmSync(folder, { recursive: true, force: true });
  }
}

async function startRig(
  folder: string,
  { providerLatencyMs }: RunOptions,
  children: ChildProcess[],
): Promise<Rig> {
  const [ingress, admin, fabric, service, providersPort] = await freePorts(5);
  const providersUrl = `http://127.0.0.1:${providersPort}`;
  const secret = `whsec_${randomBytes(24).toString("base64")}`;
  const log = openSync(join(folder, "log"), "a");
  const forked = (entry: string, args: string[]) => {
    const child = fork(entry, args, { stdio: ["ignore", log, log, "ipc"] });
    children.push(child);
    return child;
  };
  const providers = forked(join(import.meta.dirname, "../../../local/providers/main.ts"), [
    `--data=${join(folder, "providers")}`,
    `--port=${providersPort}`,
    `--latency-ms=${providerLatencyMs}`,
  ]);
  const handlers = forked(join(import.meta.dirname, "service.mjs"), [
    rivalsFolder,
    String(service),
    providersUrl,
    secret,
  ]);
  await Promise.all([once(providers, "message"), once(handlers, "message")]);
  const server = spawn(serverBinary(), ["--no-logo"], {
    cwd: folder,
    stdio: ["ignore", log, log],
    env: {
      ...process.env,
      RESTATE_BASE_DIR: join(folder, "restate"),
      RESTATE_BIND_PORT: String(fabric),
      RESTATE_INGRESS__BIND_PORT: String(ingress),
      RESTATE_ADMIN__BIND_PORT: String(admin),
      RESTATE_LISTEN_MODE: "tcp",
    },
  });
  children.push(server);
  closeSync(log);
  await register(`http://127.0.0.1:${admin}`, `http://127.0.0.1:${service}`);
  return {
    ingressUrl: `http://127.0.0.1:${ingress}`,
    providersUrl,
    secret,
    pids: {
      server: server.pid ?? 0,
      service: handlers.pid ?? 0,
      providers: providers.pid ?? 0,
    },
  };
}

function serverBinary(): string {
  const platform = `@restatedev/restate-server-${process.platform}-${process.arch}`;
  const from = dirname(requireRival.resolve("@restatedev/restate-server/package.json"));
  return join(from, "..", platform.split("/")[1] ?? "", "bin", "restate-server");
}

/** Tells the server where its handlers are, as soon as it listens. */
async function register(adminUrl: string, uri: string): Promise<void> {
  const endMs = performance.now() + readyWithinMs;
  for (;;) {
    try {
      const response = await fetch(`${adminUrl}/deployments`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ uri }),
      });
      const text = await response.text();
      if (response.ok) return;
      if (performance.now() > endMs) throw new Error(`Restate refused its handlers: ${text}`);
    } catch (error) {
      if (!(error instanceof TypeError) || performance.now() > endMs) throw error;
    }
    await delay(200);
  }
}

async function measure(rig: Rig, { cases, concurrency }: RunOptions): Promise<RestateResult> {
  const journal = await followJournal(rig.providersUrl);
  const warmUp = Array.from({ length: concurrency * 2 }, (_, n) => benchCase("W", n));
  const measured = Array.from({ length: cases }, (_, n) => benchCase("M", n));
  const runOne = async (one: BenchCase): Promise<number> => {
    await raise(rig, one);
    return journal.answeredAtMs(one.owner);
  };
  await closedLoop(warmUp, concurrency, runOne);
  const before = cpuOf(rig);
  const timing = await closedLoop(measured, concurrency, runOne);
  const after = cpuOf(rig);
  await journal.stop();
  const share = (room: keyof typeof after): number =>
    Math.round(((after[room] - before[room]) / cases) * 100) / 100;
  return {
    version: versionOf("@restatedev/restate-server"),
    ...timing,
    durable: "fsync of its write-ahead log, its default",
    cpuMsPerCase: {
      server: share("server"),
      service: share("service"),
      providers: share("providers"),
    },
    wrong: notOnce([...warmUp, ...measured], journal.applied()).slice(0, 20),
  };
}

function cpuOf({ pids: { server, service, providers } }: Rig) {
  return {
    server: cpuMs([server]),
    service: cpuMs([service]),
    providers: cpuMs([providers]),
  };
}

/** Accepted is durable: Restate answers 202 once the invocation is in its log. */
async function raise({ ingressUrl, secret }: Rig, one: BenchCase): Promise<void> {
  const response = await fetch(`${ingressUrl}/InvoiceException/${one.invoice}/raise/send`, {
    method: "POST",
    headers: { "content-type": "application/json", "idempotency-key": one.deliveryId },
    body: JSON.stringify({
      raw: one.body,
      headers: signature(secret, one.deliveryId, one.body),
    }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${one.deliveryId}: ${response.status} ${text}`);
}
