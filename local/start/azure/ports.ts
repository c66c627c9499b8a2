// Which ports the local Azure listens on, and the sentence for one that is taken.
//
// The usual ones are those that developers know from the real tools (7071, 8081, 5672). A run that
// nobody watches takes free ones, so that it never collides with a running copy.
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";
import { StopFault } from "../stop.ts";

export interface Ports {
  host: number;
  providers: number;
  cosmos: number;
  serviceBus: number;
  serviceBusControl: number;
  telemetry: number;
}

const usual: Ports = {
  host: 7071,
  providers: 7080,
  cosmos: 8081,
  serviceBus: 5672,
  serviceBusControl: 5673,
  telemetry: 7090,
};

const usedBy: Record<keyof Ports, string> = {
  host: "the Functions host",
  providers: "the supplier portal and the email provider",
  cosmos: "Cosmos DB",
  serviceBus: "Service Bus",
  serviceBusControl: "Service Bus's control page",
  telemetry: "the page of measurements and traces",
};

const names = Object.keys(usual) as (keyof Ports)[];

/** Listens for a moment, so that a port that is taken throws. */
async function tryPort(port: number): Promise<void> {
  const server = createServer();
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  server.close();
  await once(server, "close");
}

// Below those that a system gives to whoever asks for any port, or connects to somebody: one of
// those could be taken again between this look and its use, or while a killed process is away.
const lowestFree = 10_000;
const highestFree = 32_000;

/** So many ports in a row on 127.0.0.1 that nobody listens on. */
export async function freePorts(count: number): Promise<number[]> {
  for (;;) {
    const base = randomInt(lowestFree, highestFree - count);
    const ports = Array.from({ length: count }, (_, index) => base + index);
    try {
      await Promise.all(ports.map(tryPort));
      return ports;
    } catch (error) {
      if (!isTaken(error)) throw error;
    }
  }
}

export async function choosePorts(wish: { portBase?: number; once: boolean }): Promise<Ports> {
  const { portBase } = wish;
  if (portBase === undefined && wish.once) return portsOf(await freePorts(names.length));
  const ports = portBase === undefined ? usual : portsOf(names.map((_, index) => portBase + index));
  for (const name of names) await refuseTaken(ports[name], usedBy[name]);
  return ports;
}

function portsOf(given: readonly number[]): Ports {
  return Object.fromEntries(names.map((name, index) => [name, given[index]])) as unknown as Ports;
}

function isTaken(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === "EADDRINUSE" || code === "EACCES";
}

async function refuseTaken(port: number, needs: string): Promise<void> {
  try {
    await tryPort(port);
  } catch (error) {
    if (!isTaken(error)) throw error;
    const how = (error as NodeJS.ErrnoException).code === "EACCES" ? "may not be used" : "is taken";
    throw new StopFault(
      `port ${port} on 127.0.0.1 ${how}, and ${needs} needs it; ` +
        "stop what uses it, or choose others with: npm start -- --port-base 17000",
      3,
    );
  }
}
