// Where a broker on rhea goes wrong under the real SDK: one test for each trap that was met. Small
// tests do not show most of them.

import { once } from "node:events";
import type { AddressInfo } from "node:net";

import rhea, { type Delivery, type EventContext } from "rhea";
import { describe, expect, test } from "vitest";

import { connectRaw, managementRequests } from "./raw-client.ts";
import { tellEachOutcome } from "../../../local/service-bus/amqp/rhea-internals.ts";
import { afterTest, bodies, codeOf, only, serviceBus } from "./with-service-bus.ts";

const entities = {
  queues: [{ name: "plain" }, { name: "cases", requiresSession: true }],
};

describe("one link", () => {
  test(
    "carries more messages than the 2048 slots of rhea's ring",
    { timeout: 60_000 },
    async () => {
      const count = 2600;
      const bus = await serviceBus(entities);
      const client = bus.connect();
      const sender = client.createSender("plain");
      for (let sent = 0; sent < count; sent += 100) {
        await sender.sendMessages(
          Array.from({ length: 100 }, (_, index) => ({ body: sent + index })),
        );
      }
      const receiver = client.createReceiver("plain");
      const seen: unknown[] = [];
      while (seen.length < count) {
        const messages = await receiver.receiveMessages(200, { maxWaitTimeInMs: 2000 });
        if (messages.length === 0) break;
        seen.push(...bodies(messages));
        await Promise.all(messages.map((message) => receiver.completeMessage(message)));
      }
      expect(seen).toEqual(Array.from({ length: count }, (_, index) => index));
    },
  );

  test("hands out at most 2048 unsettled messages, and the rest once those are settled", async () => {
    const bus = await serviceBus(entities);
    const client = bus.connect();
    const sender = client.createSender("plain");
    for (let sent = 0; sent < 2200; sent += 550) {
      await sender.sendMessages(Array.from({ length: 550 }, () => ({ body: 0 })));
    }
    const receiver = client.createReceiver("plain");
    const first = await receiver.receiveMessages(2200, { maxWaitTimeInMs: 3000 });
    expect(first.length).toBe(2048);
    await Promise.all(first.map((message) => receiver.completeMessage(message)));
    const rest = await receiver.receiveMessages(2200, { maxWaitTimeInMs: 3000 });
    expect(rest.length).toBe(152);
  });
});

describe("draining", () => {
  test("is answered when no credit is left, because the last message crossed the request", async () => {
    const bus = await serviceBus(entities);
    await bus.connect().createSender("plain").sendMessages({ body: 1 });
    const connection = connectRaw(bus.connectionString);
    const receiver = connection.open_receiver({
      source: "plain",
      credit_window: 0,
      autoaccept: false,
    });
    receiver.add_credit(1);
    await once(receiver, "message");
    receiver.drain_credit();
    await once(receiver, "receiver_drained");
    expect(receiver.has_credit()).toBe(false);
  });

  test("while messages race it loses neither a message, nor the order, nor the session", async () => {
    const bus = await serviceBus(entities);
    const client = bus.connect();
    const sender = client.createSender("cases");
    const session = await client.acceptSession("cases", "a");
    const seen: unknown[] = [];
    let next = 0;
    while (seen.length < 150) {
      // Two messages wanted, one in time and one that races the drain at the end of the wait.
      const late = new Promise<void>((resolve, reject) => {
        setTimeout(() => {
          sender.sendMessages({ body: next++, sessionId: "a" }).then(resolve, reject);
        }, 5);
      });
      const messages = await session.receiveMessages(1, { maxWaitTimeInMs: 6 });
      await late;
      seen.push(...bodies(messages));
      for (const message of messages) await session.completeMessage(message);
    }
    expect(seen).toEqual(Array.from({ length: seen.length }, (_, index) => index));
  });

  test("with nothing there takes no longer than the wait asked for", async () => {
    const receiver = (await serviceBus(entities)).connect().createReceiver("plain");
    await receiver.receiveMessages(1, { maxWaitTimeInMs: 10 });
    const startedAtMs = Date.now();
    expect(await receiver.receiveMessages(10, { maxWaitTimeInMs: 50 })).toEqual([]);
    expect(Date.now() - startedAtMs).toBeLessThan(200);
  });
});

describe("requests and their replies", () => {
  test("do not stall on a delayed acknowledgement", async () => {
    const client = (await serviceBus(entities)).connect();
    const session = await client.acceptSession("cases", "a");
    await session.getSessionState();
    const startedAtMs = performance.now();
    for (let round = 0; round < 20; round += 1) await session.getSessionState();
    // 40 ms each when they stall.
    expect((performance.now() - startedAtMs) / 20).toBeLessThan(30);
  });
});

describe("a message sent without an id", () => {
  test("is given one, so that it can be settled and the client closed", async () => {
    const client = (await serviceBus(entities)).connect();
    await client.createSender("plain").sendMessages({ body: 1 });
    const receiver = client.createReceiver("plain");
    const message = only(await receiver.receiveMessages(1));
    expect(message.messageId).toMatch(/^[0-9a-f]{32}$/);
    await receiver.completeMessage(message);
    await client.close();
  });
});

describe("a client that goes away while it waits for a session", () => {
  test("leaves the line: the next session goes to one that is there", async () => {
    const bus = await serviceBus(entities);
    const gone = bus.connect();
    const waiting = codeOf(gone.acceptNextSession("cases"));
    await gone.createSender("plain").sendMessages({ body: "the connection is up" });
    await gone.close();
    expect(await waiting).not.toBe("no error");
    const client = bus.connect();
    const next = client.acceptNextSession("cases");
    await client.createSender("cases").sendMessages({ body: 1, sessionId: "s" });
    expect((await next).sessionId).toBe("s");
  });
});

describe("a link that is closed when its session has ended", () => {
  test("costs the other links of the connection nothing", async () => {
    const bus = await serviceBus(entities);
    const connection = connectRaw(bus.connectionString);
    const sender = connection.open_sender({ target: "plain" });
    await once(sender, "sendable");
    const session = connection.create_session();
    session.begin();
    const link = session.open_receiver({ source: "plain", credit_window: 0 });
    await once(link, "receiver_open");
    // As when the broker's own detach crossed the end: the client answers it too late.
    session.once("session_close", () => link.close());
    session.close();
    await once(session, "session_close");
    sender.send({ body: 1 });
    const cut = once(connection, "disconnected").then(() => "cut");
    expect(await Promise.race([once(sender, "accepted").then(() => "accepted"), cut])).toBe(
      "accepted",
    );
  });
});

describe("abandoning", () => {
  test("counts one delivery, not two", async () => {
    const client = (await serviceBus(entities)).connect();
    await client.createSender("plain").sendMessages({ body: 1 });
    const receiver = client.createReceiver("plain");
    for (const deliveryCount of [0, 1, 2, 3]) {
      const message = only(await receiver.receiveMessages(1));
      expect(message.deliveryCount).toBe(deliveryCount);
      await receiver.abandonMessage(message);
    }
  });
});

describe("an operation on a session", () => {
  test("counts only from the link that holds it", async () => {
    const bus = await serviceBus(entities);
    const held = await bus.connect().acceptSession("cases", "a");
    // The SDK refuses by itself once it has seen its lock lost; a holder that has not must be told.
    const request = await managementRequests(bus.connectionString, "cases");
    for (const operation of ["renew-session-lock", "set-session-state", "get-session-state"]) {
      const { properties } = await request(operation, { "session-id": "a" }, "a former holder");
      expect(properties).toMatchObject({
        statusCode: 410,
        errorCondition: "com.microsoft:session-lock-lost",
      });
    }
    expect(await held.getSessionState()).toBeNull();
  });
});

describe("many session receivers", () => {
  test("share one connection", async () => {
    const client = (await serviceBus(entities)).connect();
    const sessionIds = Array.from({ length: 100 }, (_, index) => `s-${index}`);
    const sender = client.createSender("cases");
    await sender.sendMessages(sessionIds.map((sessionId) => ({ body: sessionId, sessionId })));
    const received = await Promise.all(
      sessionIds.map(async (sessionId) => {
        const session = await client.acceptSession("cases", sessionId);
        return only(await session.receiveMessages(1)).body as unknown;
      }),
    );
    expect(received).toEqual(sessionIds);
  });
});

describe("two outcomes in one tick", () => {
  test("are told each by itself: a refused message is not answered as taken", async () => {
    const peer = rhea.create_container();
    const arrived: Delivery[] = [];
    peer.on("session_open", ({ session }: EventContext) => session && tellEachOutcome(session));
    peer.on("message", ({ delivery }: EventContext) => {
      if (delivery !== undefined) arrived.push(delivery);
      if (arrived.length < 2) return;
      arrived[0]?.accept();
      arrived[1]?.reject({ condition: "amqp:not-allowed" });
    });
    const options = { host: "127.0.0.1", port: 0, receiver_options: { autoaccept: false } };
    const server = peer.listen(options);
    afterTest(async () => void server.close());
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const sender = connectRaw(`Endpoint=sb://127.0.0.1:${port};`).open_sender("anywhere");
    const told: string[] = [];
    sender.on("accepted", () => told.push("accepted"));
    sender.on("rejected", () => told.push("rejected"));
    await once(sender, "sendable");
    sender.send({ body: "taken" });
    const { id } = sender.send({ body: "refused" });
    await new Promise<void>((resolve) => {
      sender.on("settled", ({ delivery }: EventContext) => delivery?.id === id && resolve());
    });
    expect(told).toEqual(["accepted", "rejected"]);
  });
});
