// The administration endpoint where it is the stand-in's own: what it keeps over a restart, the port that it shares, what it refuses.
import { execFile, fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { request } from "node:https";
import { connect as openSocket } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { ServiceBusAdministrationClient } from "@azure/service-bus";
import { describe, expect, test } from "vitest";
import {
  administer,
  afterTest,
  bodies,
  codeOf,
  connect,
  only,
  serviceBus,
  temporaryFolder,
  until,
} from "./with-service-bus.ts";

const main = join(import.meta.dirname, "../../../local/service-bus/main.ts");

describe("an entity that a client made", () => {
  test("survives kill -9 with its sessions, its memory of ids and its messages", async () => {
    const dataFolder = await temporaryFolder();
    const first = await startProcess(dataFolder);
    const admin = administer(first.connectionString, readFileSync(first.certificatePath, "utf8"));
    const settings = {
      requiresSession: true,
      requiresDuplicateDetection: true,
      maxDeliveryCount: 3,
    };
    await admin.createQueue("made", settings);
    await admin.createTopic("news");
    await admin.createSubscription("news", "urgent", {
      defaultRuleOptions: { name: "urgent", filter: { sqlExpression: "level > 3" } },
    });
    const made = await admin.getQueueRuntimeProperties("made");
    const sent = { messageId: "one", sessionId: "a", body: "kept" };
    await connect(first.connectionString).createSender("made").sendMessages(sent);
    first.broker.kill("SIGKILL");
    await once(first.broker, "exit");

    const second = await startProcess(dataFolder);
    const again = administer(second.connectionString, readFileSync(second.certificatePath, "utf8"));
    expect(await again.getQueue("made")).toMatchObject(settings);
    expect((await again.getQueueRuntimeProperties("made")).createdAt).toEqual(made.createdAt);
    const client = connect(second.connectionString);
    await client.createSender("made").sendMessages(sent);
    const session = await client.acceptSession("made", "a");
    expect(bodies(await session.peekMessages(10))).toEqual(["kept"]);
    const news = client.createSender("news");
    for (const level of [1, 5]) {
      await news.sendMessages({ body: level, applicationProperties: { level } });
    }
    const urgent = client.createReceiver("news", "urgent");
    expect(bodies(await urgent.peekMessages(10))).toEqual([5]);
  });

  test("stays deleted over a restart, and nothing of it is left for a later one of its name", async () => {
    const bus = await serviceBus({ queues: [] });
    await bus.administer().createQueue("made");
    const client = bus.connect();
    await client.createSender("made").sendMessages({ body: "old" });
    await client.close();
    await bus.administer().deleteQueue("made");
    await bus.restart();
    expect(await bus.administer().queueExists("made")).toBe(false);
    await bus.administer().createQueue("made");
    const receiver = bus.connect().createReceiver("made");
    expect(await receiver.peekMessages(10)).toEqual([]);
  });
});

describe("an entity of the entities file", () => {
  test("is at each start as the file says, whatever a client did to it; its messages stay", async () => {
    const bus = await serviceBus({ queues: [{ name: "cases", maxDeliveryCount: 5 }] });
    const declared = await bus.administer().getQueue("cases");
    await bus.administer().updateQueue({ ...declared, maxDeliveryCount: 2 });
    await bus.connect().createSender("cases").sendMessages({ body: "kept" });
    expect((await bus.administer().getQueue("cases")).maxDeliveryCount).toBe(2);
    await bus.restart();
    expect((await bus.administer().getQueue("cases")).maxDeliveryCount).toBe(5);
    expect(bodies(await bus.connect().createReceiver("cases").peekMessages(10))).toEqual(["kept"]);
  });
});

describe("a receiver of an entity that is deleted", () => {
  test("is told so, and a message that it holds settles nothing", async () => {
    const bus = await serviceBus({ queues: [{ name: "work" }] });
    const client = bus.connect(1000);
    await client.createSender("work").sendMessages({ body: 1 });
    const receiver = client.createReceiver("work");
    const held = only(await receiver.receiveMessages(1));
    await bus.administer().deleteQueue("work");
    await bus.administer().createQueue("work");
    expect(await codeOf(receiver.completeMessage(held))).not.toBe("no error");
    expect(await bus.connect().createReceiver("work").peekMessages(10)).toEqual([]);
  });
});

describe("whoever waits at a queue that is deleted", () => {
  test("for a session, for messages or for dead letters, is told so and waits no longer", async () => {
    const bus = await serviceBus({
      queues: [{ name: "work", requiresSession: true }, { name: "plain" }],
    });
    const client = bus.connect();
    const accepting = codeOf(client.acceptNextSession("work"));
    const told: string[] = [];
    const waiting = [
      client.createReceiver("plain"),
      client.createReceiver("plain", { subQueueType: "deadLetter" }),
    ];
    for (const receiver of waiting) {
      receiver.subscribe({
        processMessage: async () => {},
        processError: async ({ error }) => void told.push((error as { code?: string }).code ?? ""),
      });
    }
    await client.createSender("work").sendMessages({ sessionId: "a", body: 1 });
    const session = client.acceptSession("work", "b");
    await (await session).close();
    const second = codeOf(client.acceptNextSession("work"));
    await bus.administer().deleteQueue("work");
    await bus.administer().deleteQueue("plain");
    expect(await Promise.all([accepting, second])).toEqual(["no error", "MessagingEntityNotFound"]);
    await until("both are told", () => told.length >= 2);
    expect(new Set(told)).toEqual(new Set(["MessagingEntityNotFound"]));
  });
});

describe("the broker's port", () => {
  test("is no one's who does not trust its certificate", async () => {
    const bus = await serviceBus({ queues: [{ name: "cases" }] });
    const options = { retryOptions: { maxRetries: 0 } };
    const stranger = new ServiceBusAdministrationClient(bus.connectionString, options);
    expect(await codeOf(stranger.getQueue("cases"))).toBe("DEPTH_ZERO_SELF_SIGNED_CERT");
    expect((await bus.administer().getQueue("cases")).name).toBe("cases");
  });

  test("is administered by a process that was given the certificate and nothing else", async () => {
    const { connectionString, certificatePath } = await startProcess(await temporaryFolder());
    const script = `
      import { ServiceBusAdministrationClient } from "@azure/service-bus";
      const admin = new ServiceBusAdministrationClient(process.argv[1]);
      console.log((await admin.getNamespaceProperties()).messagingSku);`;
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ["--input-type=module", "-e", script, connectionString],
      { env: { ...process.env, NODE_EXTRA_CA_CERTS: certificatePath }, cwd: import.meta.dirname },
    );
    expect(stdout.trim()).toBe("Standard");
  });

  test("goes on after peers that say nothing, nonsense, or half a greeting", async () => {
    const bus = await serviceBus({ queues: [{ name: "cases" }] });
    const port = Number(
      new URL(bus.connectionString.slice("Endpoint=".length).split(";")[0] ?? "").port,
    );
    for (const greeting of [[], [0], [0x16], [0x16, 3, 1, 0xff], [0x41]]) {
      const socket = openSocket(port, "127.0.0.1").on("error", () => {});
      await once(socket, "connect");
      socket.write(Buffer.from(greeting), () => socket.destroy());
      await once(socket, "close");
    }
    const [, host] = /sb:\/\/([^;/]+)/.exec(bus.connectionString) ?? [];
    const headers = { authorization: "any", "content-length": "1000" };
    const cut = request(`https://${host}/made`, { method: "PUT", headers, ca: bus.certificate });
    const gone = new Promise<void>((closed) => cut.on("error", () => {}).on("close", closed));
    await new Promise<void>((written) => void cut.write("<entry>", () => written()));
    cut.destroy();
    await gone;
    expect((await bus.administer().getQueue("cases")).name).toBe("cases");
    expect(await bus.administer().queueExists("made")).toBe(false);
    await bus.connect().createSender("cases").sendMessages({ body: 1 });
  });
});

describe("a request that the endpoint does not serve", () => {
  test.each([
    ["ForwardTo", { forwardTo: "cases" }],
    ["EnablePartitioning", { enablePartitioning: true }],
    ["AutoDeleteOnIdle", { autoDeleteOnIdle: "PT5M" }],
    ["Status", { status: "Disabled" as const }],
  ])("says which property it was: %s", async (property, settings) => {
    const bus = await serviceBus({ queues: [{ name: "cases" }] });
    await expect(bus.administer().createQueue("made", settings)).rejects.toMatchObject({
      statusCode: 501,
      message: expect.stringContaining(property) as unknown,
    });
    expect(await bus.administer().queueExists("made")).toBe(false);
  });

  test("is refused without a token, without a readable body and under a name that is none", async () => {
    const bus = await serviceBus({ queues: [{ name: "cases" }] });
    const entry = "<entry><content><QueueDescription/></content></entry>";
    expect(await statusOf(bus, "GET", "/cases", {})).toBe(401);
    const signed = { authorization: "SharedAccessSignature local" };
    expect(await statusOf(bus, "PUT", "/made", signed, "<!DOCTYPE a [<!ENTITY b '1'>]><a/>")).toBe(
      400,
    );
    expect(await statusOf(bus, "PUT", "/made", signed, "<entry>")).toBe(400);
    expect(await statusOf(bus, "PUT", "/%ff", signed, entry)).toBe(400);
    expect(await statusOf(bus, "PUT", "/$cbs", signed, entry)).toBe(400);
    expect(await statusOf(bus, "PATCH", "/made", signed, entry)).toBe(405);
    expect(await statusOf(bus, "PUT", "/made", signed, entry)).toBe(201);
    expect(await statusOf(bus, "GET", "/$Resources/queues?$skip=-1&$top=-5", signed)).toBe(200);
  });

  test("is refused where a filter asks for what messages do not have, and its subscription is not made", async () => {
    const bus = await serviceBus({ topics: [{ name: "news" }] });
    const signed = { authorization: "SharedAccessSignature local" };
    for (const filter of ["<Weather>fine</Weather>", "<SqlExpression>level ?? 3</SqlExpression>"]) {
      const rule = `<DefaultRuleDescription><Filter>${filter}</Filter></DefaultRuleDescription>`;
      const body = `<entry><content><SubscriptionDescription>${rule}</SubscriptionDescription></content></entry>`;
      expect(await statusOf(bus, "PUT", "/news/Subscriptions/one", signed, body)).toBe(400);
    }
    expect(await bus.administer().subscriptionExists("news", "one")).toBe(false);
    const nowhere = bus.administer().createSubscription("gone", "one");
    expect(await codeOf(nowhere)).toBe("MessageEntityNotFoundError");
  });
});

async function startProcess(dataFolder: string) {
  const broker = fork(main, ["--data", dataFolder, "--port", "0"], { silent: true });
  afterTest(async () => void broker.kill("SIGKILL"));
  const [ready] = (await once(broker, "message")) as [
    { connectionString: string; certificatePath: string },
  ];
  return { broker, ...ready };
}

async function statusOf(
  bus: { connectionString: string; certificate: string },
  method: string,
  path: string,
  headers: Record<string, string>,
  body = "",
): Promise<number | undefined> {
  const [, host] = /sb:\/\/([^;/]+)/.exec(bus.connectionString) ?? [];
  const sent = request(`https://${host}${path}`, { method, headers, ca: bus.certificate });
  sent.end(body);
  const [response] = (await once(sent, "response")) as [{ statusCode?: number; resume(): void }];
  response.resume();
  return response.statusCode;
}
