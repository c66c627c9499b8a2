// Which ports the local Azure listens on, and the sentence for one that is taken.
//
// The usual ones are those that developers know from the real tools (7071, 8081, 5672). A run that
// nobody watches takes free ones, so that it never collides with a running copy.
import { once } from "node:events";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
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

/** Listens for a moment; the port that it was given. */
async function tryPort(port: number): Promise<number> {
  const server = createServer();
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const given = (server.address() as AddressInfo).port;
  server.close();
  await once(server, "close");
  return given;
}

async function freePorts(): Promise<Ports> {
  const chosen = new Set<number>();
  while (chosen.size < names.length) chosen.add(await tryPort(0));
  const given = [...chosen];
  return Object.fromEntries(names.map((name, index) => [name, given[index]])) as unknown as Ports;
}

export async function choosePorts(wish: { portBase?: number; once: boolean }): Promise<Ports> {
  const { portBase } = wish;
  if (portBase === undefined && wish.once) return freePorts();
  const ports =
    portBase === undefined
      ? usual
      : (Object.fromEntries(
          names.map((name, index) => [name, portBase + index]),
        ) as unknown as Ports);
  for (const name of names) await refuseTaken(ports[name], usedBy[name]);
  return ports;
}

async function refuseTaken(port: number, needs: string): Promise<void> {
  try {
    await tryPort(port);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "EADDRINUSE" && code !== "EACCES") throw error;
    const how = code === "EACCES" ? "may not be used" : "is taken";
    throw new StopFault(
      `port ${port} on 127.0.0.1 ${how}, and ${needs} needs it; ` +
        "stop what uses it, or choose others with: npm start -- --port-base 17000",
      3,
    );
  }
}
