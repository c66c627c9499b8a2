// Ways to a broker that fail in one chosen moment: what the SDK sees of a network, or of a machine that stands still.
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { afterwards } from "./fixture-app.ts";

/** A way to a broker: what passes it, in either direction, is told to `passes`, which says whether it goes on. */
async function wayTo(
  connectionString: string,
  passes: (bytes: Buffer, from: "client" | "broker", next: Socket, client: Socket) => boolean,
): Promise<string> {
  const to = new URL(/Endpoint=([^;]+)/.exec(connectionString)?.[1] ?? "");
  const server = createServer((client) => {
    const broker = connect(Number(to.port), to.hostname);
    for (const [name, from, next] of [
      ["client", client, broker],
      ["broker", broker, client],
    ] as const) {
      from.on("error", () => {});
      from.on("close", () => next.destroy());
      from.on("data", (bytes) => {
        if (passes(bytes, name, next, client)) next.write(bytes);
      });
    }
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  afterwards(async () => server.close());
  const { port } = server.address() as AddressInfo;
  return connectionString.replace(to.host, `127.0.0.1:${port}`);
}

const DETACH = Buffer.from([0x00, 0x53, 0x16]);

/** A flow that ends with drain = true: the SDK's only one. */
function isDrain(bytes: Buffer): boolean {
  const at = bytes.indexOf(Buffer.from([0x00, 0x53, 0x13]));
  return at >= 0 && bytes.subarray(at).includes(0x41);
}

/** It breaks when the first link is closed, in the moment in which that close waits for its answer. */
export async function breakingAtClose(connectionString: string) {
  let breaks = 0;
  const way = await wayTo(connectionString, (bytes, from, _next, client) => {
    if (from === "broker" || breaks > 0 || !bytes.includes(DETACH)) return true;
    breaks += 1;
    client.destroy();
    return false;
  });
  return { connectionString: way, breaks: () => breaks };
}

/** Once it is armed, nothing is answered any more from a drain on, until it is told to speak. */
export async function silentAtDrain(connectionString: string) {
  let isSilent = false;
  let isArmed = false;
  const way = await wayTo(connectionString, (bytes, from) => {
    if (from === "broker") return !isSilent;
    if (isArmed && isDrain(bytes)) isSilent = true;
    return true;
  });
  return {
    connectionString: way,
    isSilent: () => isSilent,
    arm: () => void (isArmed = true),
    speak() {
      isArmed = false;
      isSilent = false;
    },
  };
}

/**
 * It stands still from a drain on, once it is armed, until each end has closed the link without knowing of the other's
 * close: then everything arrives.
 */
export async function crossingCloses(connectionString: string) {
  const held: (() => void)[] = [];
  const closed = new Set<string>();
  let state: "open" | "armed" | "still" = "open";
  let crossings = 0;
  const way = await wayTo(connectionString, (bytes, from, next) => {
    if (state === "armed" && from === "client" && isDrain(bytes)) state = "still";
    if (state !== "still") return true;
    held.push(() => void next.write(bytes));
    if (bytes.includes(DETACH)) closed.add(from);
    if (closed.size === 2) {
      state = "open";
      closed.clear();
      crossings += 1;
      for (const pass of held.splice(0)) pass();
    }
    return false;
  });
  return {
    connectionString: way,
    arm: () => void (state = "armed"),
    isStill: () => state === "still",
    crossings: () => crossings,
  };
}
