// The Service Bus trigger against the local broker: sessions, settlement, metadata, and instances that die.
import { ServiceBusClient, type ServiceBusMessage } from "@azure/service-bus";
import { appendFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { serviceBusControl } from "../../../local/service-bus/faults.ts";
import { startServiceBus } from "../../../local/service-bus/server.ts";
import { afterwards, type Fixture, startFixture, temporaryFolder, until } from "./fixture-app.ts";
import { breakingAtClose, silentAtDrain } from "./ways-to-broker.ts";

const APP = `
const { app } = require("@azure/functions");
const { appendFileSync, existsSync, writeFileSync } = require("node:fs");
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const record = (line) => appendFileSync("record.txt", JSON.stringify(line) + "\\n");
app.serviceBusQueue("in-session", { connection: "Bus", queueName: "%QUEUE%", isSessionsEnabled: true,
  handler: async (body, context) => {
    const m = context.triggerMetadata;
    record({ pid: process.pid, body, session: m.sessionId, deliveries: m.deliveryCount });
    if (body.hang && !existsSync("hung")) { writeFileSync("hung", ""); await new Promise(() => {}); }
    await wait(body.ms ?? 0);
    record({ ended: body.n });
  } });
app.serviceBusQueue("plain", { connection: "Bus", queueName: "plain",
  handler: (body, context) => { record({ body, metadata: context.triggerMetadata }); } });
`;

type Row = Record<string, unknown>;

async function rows({ appFolder }: Fixture): Promise<Row[]> {
  try {
    const text = await readFile(join(appFolder, "record.txt"), "utf8");
    return text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Row);
  } catch {
    return [];
  }
}

async function startBus() {
  const bus = await startServiceBus({
    dataFolder: await temporaryFolder(),
    entities: {
      queues: [{ name: "cases", requiresSession: true, maxDeliveryCount: 3 }, { name: "plain" }],
    },
  });
  afterwards(() => bus.close());
  const client = new ServiceBusClient(bus.connectionString);
  afterwards(() => client.close());
  return {
    connectionString: bus.connectionString,
    controlUrl: bus.controlUrl,
    client,
    send: async (queue: string, ...messages: ServiceBusMessage[]) => {
      const sender = client.createSender(queue);
      await sender.sendMessages(messages);
      await sender.close();
    },
  };
}

/** From now on whoever waits a minute waits a second. */
function hurryMinutes() {
  const original = globalThis.setTimeout;
  const startedMs = performance.now();
  globalThis.setTimeout = ((act: () => void, ms?: number, ...rest: []) =>
    original(act, ms === 60_000 ? 1000 : ms, ...rest)) as typeof setTimeout;
  afterwards(async () => void (globalThis.setTimeout = original));
  return { areOver: () => performance.now() - startedMs > 5000 };
}

async function startApp(more: { workers?: number; serviceBus?: object } = {}) {
  const bus = await startBus();
  const fixture = await startFixture(
    {
      files: { "main.js": APP },
      hostJson: {
        extensions: { serviceBus: { sessionIdleTimeout: "00:00:01", ...more.serviceBus } },
      },
    },
    {
      settings: { Bus: bus.connectionString, QUEUE: "cases" },
      ...(more.workers === undefined ? {} : { workers: more.workers }),
    },
  );
  return { bus, fixture };
}

const inSession = (sessionId: string, n: number, more: Row = {}): ServiceBusMessage => ({
  sessionId,
  body: { n, ...more },
});

describe("a session's messages", () => {
  test("come back at once when their instance is killed, to another process", async () => {
    const { bus, fixture } = await startApp();
    await bus.send("cases", inSession("s1", 1, { hang: true }));
    const [first] = await until("the handler hangs", async () => {
      const found = await rows(fixture);
      return found.length === 1 && found;
    });
    const killedAtMs = performance.now();
    process.kill(Number(first?.["pid"]), "SIGKILL");
    const [, second] = await until("the next delivery", async () => {
      const found = await rows(fixture);
      return found.length >= 2 && found;
    });
    expect(performance.now() - killedAtMs).toBeLessThan(3000);
    expect(second).toMatchObject({ body: { n: 1 }, session: "s1" });
    expect(second?.["pid"]).not.toBe(first?.["pid"]);
    expect(fixture.invocations("in-session")[0]?.outcome).toBe("workerLost");
  });
});

describe("a connection that breaks while a session is given back", () => {
  test("costs the listener nothing: it goes on over another", async () => {
    const bus = await startBus();
    const way = await breakingAtClose(bus.connectionString);
    const fixture = await startFixture(
      {
        files: { "main.js": APP },
        hostJson: {
          extensions: {
            serviceBus: { sessionIdleTimeout: "00:00:00.2", maxConcurrentSessions: 1 },
          },
        },
      },
      { settings: { Bus: way.connectionString, QUEUE: "cases" } },
    );
    await bus.send("cases", inSession("s1", 1));
    await until("the session was given back", () => way.breaks() === 1);
    await bus.send("cases", inSession("s2", 2));
    const all = await until("the next session is served", async () => {
      const found = await rows(fixture);
      return found.some((row) => row["ended"] === 2) && found;
    });
    expect(all.filter((row) => "ended" in row)).toEqual([{ ended: 1 }, { ended: 2 }]);
  });
});

describe("a worker that is killed while its listener drains a session", () => {
  test("leaves nothing behind that ends the host a minute later", async () => {
    const bus = await startBus();
    const way = await silentAtDrain(bus.connectionString);
    const serviceBus = { sessionIdleTimeout: "00:00:00.2", maxConcurrentSessions: 1 };
    const fixture = await startFixture(
      { files: { "main.js": APP }, hostJson: { extensions: { serviceBus } } },
      { settings: { Bus: way.connectionString, QUEUE: "cases" } },
    );
    const rejected: unknown[] = [];
    const reject = (reason: unknown) => void rejected.push(reason);
    process.on("unhandledRejection", reject);
    afterwards(async () => void process.off("unhandledRejection", reject));
    const hurried = hurryMinutes();
    await bus.send("cases", inSession("s1", 1));
    const [worker] = fixture.host.workers();
    await until("it is served", async () => (await rows(fixture)).some((row) => "ended" in row));
    way.arm();
    await until("the listener drains", () => way.isSilent());
    process.kill(Number(worker?.pid), "SIGKILL");
    way.speak();
    await until("the worker is another", () => {
      const [next] = fixture.host.workers();
      return next !== undefined && next.pid !== worker?.pid;
    });
    await until("a minute is over", () => hurried.areOver());
    expect(rejected).toEqual([]);
  });
});

describe("two workers", () => {
  test("share twenty sessions, each of them in order and one at a time", async () => {
    const { bus, fixture } = await startApp({
      workers: 2,
      serviceBus: { maxConcurrentSessions: 4, sessionIdleTimeout: "00:00:00.2" },
    });
    const sessions = Array.from({ length: 20 }, (_, index) => `case-${index}`);
    const messages = sessions.flatMap((s) => [1, 2, 3].map((n) => inSession(s, n, { ms: 5 })));
    await bus.send("cases", ...messages);
    const all = await until("sixty ended", async () => {
      const found = await rows(fixture);
      return found.filter((row) => "ended" in row).length === 60 && found;
    });
    for (const session of sessions) {
      const seen = all.filter((row) => row["session"] === session);
      expect(seen.map(({ body }) => (body as { n: number }).n)).toEqual([1, 2, 3]);
    }
    expect(new Set(all.flatMap((row) => row["pid"] ?? [])).size).toBe(2);
  });

  test("are named to the broker, so that one can be cut off while the other goes on", async () => {
    const { bus, fixture } = await startApp({ workers: 2 });
    await serviceBusControl(bus.controlUrl).plan({
      match: { userAgentContains: "worker-1", operation: "receive" },
      fault: "dropBefore",
    });
    const sessions = Array.from({ length: 6 }, (_, index) => `s${index}`);
    await bus.send("cases", ...sessions.map((sessionId, n) => inSession(sessionId, n)));
    const all = await until("all ended", async () => {
      const found = await rows(fixture);
      return found.filter((row) => "ended" in row).length === sessions.length && found;
    });
    expect(new Set(all.flatMap((row) => row["pid"] ?? [])).size).toBe(1);
  });
});

describe("a message's values", () => {
  test("reach the function as Azure's worker leaves them, body fields hiding metadata", async () => {
    const { bus, fixture } = await startApp();
    await bus.send("plain", {
      body: { messageId: "from the body", deep: { A: 1 }, list: [1], yes: true },
      messageId: "real",
      correlationId: "42",
      subject: "hello",
      applicationProperties: { TraceId: "t", count: 3 },
    });
    const [row] = await until("the message", async () => {
      const found = await rows(fixture);
      return found.length > 0 && found;
    });
    expect(row?.["metadata"]).toMatchObject({
      messageId: "from the body",
      correlationId: 42,
      subject: "hello",
      label: "hello",
      deliveryCount: 1,
      applicationProperties: { traceId: "t", count: 3 },
      deep: { a: 1 },
      yes: "True",
    });
    expect(row?.["metadata"]).not.toHaveProperty("list");
  });
});

describe("a host that drains", () => {
  test("settles what it has begun and leaves the rest to the next host", async () => {
    const { bus, fixture } = await startApp();
    await bus.send("cases", inSession("s1", 1, { ms: 300 }), inSession("s1", 2));
    await until("the first began", async () => (await rows(fixture)).length === 1);
    await fixture.host.close();
    expect(await rows(fixture)).toMatchObject([{ body: { n: 1 } }, { ended: 1 }]);
    appendFileSync(join(fixture.appFolder, "record.txt"), '{"restarted":true}\n');
    await fixture.restart();
    await until("the second ended", async () =>
      (await rows(fixture)).some((r) => r["ended"] === 2),
    );
    expect((await rows(fixture)).slice(3)).toMatchObject([
      { body: { n: 2 }, deliveries: 1 },
      { ended: 2 },
    ]);
  });
});
