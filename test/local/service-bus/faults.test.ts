// Faults on demand: each does to a client what it says, and no more often than asked.

import { once } from "node:events";
import { connect as connectSocket } from "node:net";

import { ServiceBusClient } from "@azure/service-bus";
import { describe, expect, test } from "vitest";

import { afterTest, bodies, codeOf, only, serviceBus, until } from "./with-service-bus.ts";

const entities = { queues: [{ name: "cases", requiresSession: true }, { name: "plain" }] };

/** The SDK notices a cut connection under a send or a settlement only by its own time-out. */
const TIMEOUT_MS = 1000;

async function faulty() {
  const bus = await serviceBus(entities);
  const client = bus.connect(TIMEOUT_MS);
  const counts = async (queue: string) =>
    (await bus.control.queues()).find(({ name }) => name === queue);
  return { bus, control: bus.control, client, sender: client.createSender("cases"), counts };
}

describe("a planned fault on sending", () => {
  test("before the work: the client sees an error, and nothing was stored", async () => {
    const { control, sender, counts } = await faulty();
    await control.plan({ match: { operation: "send" }, fault: "dropBefore", times: 1 });
    expect(await codeOf(sender.sendMessages({ body: 1, sessionId: "a" }))).not.toBe("no error");
    expect((await counts("cases"))?.active).toBe(0);
    await sender.sendMessages({ body: 2, sessionId: "a" });
    expect((await counts("cases"))?.active).toBe(1);
  });

  test("after the commit: the client sees an error, and the message is there", async () => {
    const { control, sender, counts } = await faulty();
    await control.plan({ match: { operation: "send" }, fault: "dropAfterCommit", times: 1 });
    expect(await codeOf(sender.sendMessages({ body: 1, sessionId: "a" }))).not.toBe("no error");
    expect((await counts("cases"))?.active).toBe(1);
  });

  test("discarded: the client is told it is accepted, and it is nowhere", async () => {
    const { control, sender, counts } = await faulty();
    await control.plan({ match: { operation: "send", sessionId: "a" }, fault: "discard" });
    await sender.sendMessages({ body: 1, sessionId: "a" });
    await sender.sendMessages({ body: 2, sessionId: "b" });
    expect((await counts("cases"))?.active).toBe(1);
  });

  test("discarded when it is scheduled: it has a number, and never comes", async () => {
    const { control, sender, counts } = await faulty();
    await control.plan({ match: { operation: "schedule" }, fault: "discard", times: 1 });
    const later = new Date(Date.now() + 60_000);
    for (const body of [1, 2]) await sender.scheduleMessages({ body, sessionId: "a" }, later);
    expect((await counts("cases"))?.scheduled).toBe(1);
  });

  test("busy: the client is told so, and may try again", async () => {
    const { control, sender } = await faulty();
    await control.plan({ match: { queue: "cases" }, fault: "serverBusy", times: 1 });
    expect(await codeOf(sender.sendMessages({ body: 1, sessionId: "a" }))).toBe("ServiceBusy");
    await sender.sendMessages({ body: 1, sessionId: "a" });
  });

  test("delayed: it takes that long", async () => {
    const { control, sender } = await faulty();
    await sender.sendMessages({ body: 0, sessionId: "a" });
    await control.plan({ match: { operation: "send" }, fault: "delay", delayMs: 200, times: 1 });
    const startedAtMs = Date.now();
    await sender.sendMessages({ body: 1, sessionId: "a" });
    expect(Date.now() - startedAtMs).toBeGreaterThanOrEqual(200);
  });

  test("on a schedule: busy", async () => {
    const { control, sender } = await faulty();
    await control.plan({ match: { operation: "schedule", sessionId: "a" }, fault: "serverBusy" });
    const schedule = sender.scheduleMessages({ body: 1, sessionId: "a" }, new Date());
    expect(await codeOf(schedule)).toBe("ServiceBusy");
  });
});

describe("a planned fault on receiving", () => {
  test("loses the session's lock before the message is seen", async () => {
    const { control, client, sender } = await faulty();
    await sender.sendMessages({ body: 1, sessionId: "a" });
    await control.plan({ match: { operation: "receive" }, fault: "loseSessionLock", times: 1 });
    const session = await client.acceptSession("cases", "a");
    expect(await codeOf(session.receiveMessages(1))).toBe("SessionLockLost");
    const again = await client.acceptSession("cases", "a");
    expect(bodies(await again.receiveMessages(1))).toEqual([1]);
  });

  test("delays the delivery", async () => {
    const { control, client } = await faulty();
    await client.createSender("plain").sendMessages({ body: 1 });
    await control.plan({ match: { operation: "receive" }, fault: "delay", delayMs: 200, times: 1 });
    const startedAtMs = Date.now();
    const receiver = client.createReceiver("plain");
    expect(bodies(await receiver.receiveMessages(1))).toEqual([1]);
    expect(Date.now() - startedAtMs).toBeGreaterThanOrEqual(200);
  });
});

describe("a planned fault on completing", () => {
  test("redelivers a message the client was told is completed", async () => {
    const { control, client, sender } = await faulty();
    await sender.sendMessages({ body: 1, sessionId: "a" });
    await control.plan({ match: { operation: "complete" }, fault: "redeliverCompleted", times: 1 });
    const session = await client.acceptSession("cases", "a");
    for (const _delivery of ["first", "second"]) {
      await session.completeMessage(only(await session.receiveMessages(1)));
    }
    expect(await session.peekMessages(1)).toEqual([]);
  });

  test("after the commit: the client is left without an answer, and the message does not come again", async () => {
    const { bus, control, client, sender, counts } = await faulty();
    await sender.sendMessages({ body: 1, sessionId: "a" });
    await control.plan({ match: { operation: "complete" }, fault: "dropAfterCommit", times: 1 });
    const session = await client.acceptSession("cases", "a");
    const message = only(await session.receiveMessages(1));
    // The SDK waits 60 seconds for the answer to a settlement, whatever its retry options say.
    void session.completeMessage(message).catch(() => {});
    const next = await until("the session is free", () =>
      bus
        .connect()
        .acceptSession("cases", "a")
        .catch(() => undefined),
    );
    expect(await next.receiveMessages(1, { maxWaitTimeInMs: 100 })).toEqual([]);
    expect((await counts("cases"))?.active).toBe(0);
  });

  test("loses the session's lock instead, and the message comes again", async () => {
    const { control, client, sender } = await faulty();
    await sender.sendMessages({ body: 1, sessionId: "a" });
    await control.plan({ match: { operation: "complete" }, fault: "loseSessionLock", times: 1 });
    const session = await client.acceptSession("cases", "a");
    const message = only(await session.receiveMessages(1));
    expect(await codeOf(session.completeMessage(message))).toBe("SessionLockLost");
    const again = await client.acceptSession("cases", "a");
    expect(only(await again.receiveMessages(1)).deliveryCount).toBe(1);
  });
});

describe("a fault aimed at one client by its user agent", () => {
  async function namedClients() {
    const { bus, control, client } = await faulty();
    const named = (worker: string) => {
      const userAgentOptions = { userAgentPrefix: worker };
      const retryOptions = { maxRetries: 0, timeoutInMs: TIMEOUT_MS };
      const options = { userAgentOptions, retryOptions };
      const one = new ServiceBusClient(bus.connectionString, options);
      afterTest(() => one.close());
      return one.createSender("plain");
    };
    return { control, client, named };
  }

  test("may meet its next connection alone", async () => {
    const { control, named } = await namedClients();
    const connected = named("worker-1");
    await connected.sendMessages({ body: 1 });
    const match = { userAgentContains: "worker-1", operation: "connect" } as const;
    await control.plan({ match, fault: "dropBefore" });
    await connected.sendMessages({ body: 2 });
    expect(await codeOf(named("worker-1").sendMessages({ body: 3 }))).not.toBe("no error");
  });

  test("cuts that client off, and no other", async () => {
    const { control, client, named } = await namedClients();
    const [first, second] = [named("worker-1"), named("worker-2")];
    await first.sendMessages({ body: "before" });
    await control.plan({ match: { userAgentContains: "worker-1" }, fault: "dropBefore" });
    expect(await codeOf(first.sendMessages({ body: "cut off" }))).not.toBe("no error");
    expect(await codeOf(named("worker-1").sendMessages({ body: "never in" }))).not.toBe("no error");
    await second.sendMessages({ body: "goes on" });
    await control.clearFaults();
    await named("worker-1").sendMessages({ body: "back" });
    const receiver = client.createReceiver("plain");
    expect(bodies(await receiver.receiveMessages(3))).toEqual(["before", "goes on", "back"]);
  });
});

describe("the plan", () => {
  test("says what is left and how often each struck, and can be cleared", async () => {
    const { control, sender } = await faulty();
    await control.plan({ match: { operation: "send" }, fault: "discard", times: 2 });
    await sender.sendMessages({ body: 1, sessionId: "a" });
    expect(await control.faults()).toMatchObject([{ fault: "discard", remaining: 1, fired: 1 }]);
    await control.clearFaults();
    expect(await control.faults()).toEqual([]);
  });

  test("draws the same faults from the same seed", async () => {
    const survivors: unknown[][] = [];
    for (const _run of ["first", "second"]) {
      const { control, client } = await faulty();
      await control.plan({
        match: { operation: "send" },
        fault: "discard",
        probability: 0.5,
        seed: 7,
      });
      const sender = client.createSender("plain");
      for (let body = 0; body < 20; body += 1) await sender.sendMessages({ body });
      survivors.push(bodies(await client.createReceiver("plain").peekMessages(20)));
    }
    expect(survivors[0]).toEqual(survivors[1]);
    expect(survivors[0]?.length).toBeGreaterThan(2);
    expect(survivors[0]?.length).toBeLessThan(18);
  });

  test("with a word it does not know is refused", async () => {
    const { control } = await faulty();
    await expect(control.plan({ fault: "explode" as "discard" })).rejects.toThrow("400");
  });
});

describe("the log", () => {
  test("tells a message's way, from an event on", async () => {
    const { control, client, sender } = await faulty();
    await sender.sendMessages({ body: 1, sessionId: "a", messageId: "m" });
    const session = await client.acceptSession("cases", "a");
    await session.abandonMessage(only(await session.receiveMessages(1)));
    await session.completeMessage(only(await session.receiveMessages(1)));
    const events = (await control.log()).filter(({ messageId }) => messageId === "m");
    expect(events.map(({ kind, deliveryCount }) => [kind, deliveryCount])).toEqual([
      ["sent", 0],
      ["delivered", 0],
      ["abandoned", 0],
      ["delivered", 1],
      ["completed", 1],
    ]);
    const [first] = events;
    expect((await control.log(first?.n)).some(({ kind }) => kind === "sent")).toBe(false);
  });
});

describe("a broker whose clock is apart from its clients'", () => {
  test("gives a scheduled message out early when it is ahead, once", async () => {
    const bus = await serviceBus({ queues: [{ name: "work" }] });
    const client = bus.connect();
    const inAnHour = new Date(Date.now() + 3_600_000);
    await client.createSender("work").scheduleMessages({ body: "early" }, inAnHour);
    await bus.control.skewClock(3_601_000);
    const receiver = client.createReceiver("work");
    const message = only(await receiver.receiveMessages(1, { maxWaitTimeInMs: 5000 }));
    expect(message.enqueuedTimeUtc?.getTime()).toBeGreaterThan(inAnHour.getTime());
    await receiver.completeMessage(message);
    await bus.control.skewClock(0);
    expect(await receiver.peekMessages(10)).toEqual([]);
  });

  test("keeps a message that is due by its clients when it is behind, until its own time", async () => {
    const bus = await serviceBus({ queues: [{ name: "work" }] });
    await bus.control.skewClock(-3_600_000);
    const client = bus.connect();
    await client.createSender("work").scheduleMessages({ body: "late" }, new Date());
    const receiver = client.createReceiver("work");
    expect((await receiver.peekMessages(10)).map(({ state }) => state)).toEqual(["scheduled"]);
    await bus.control.skewClock(0);
    expect(bodies(await receiver.receiveMessages(1, { maxWaitTimeInMs: 5000 }))).toEqual(["late"]);
  });

  test("ends a lock that its holder still believes in: it settles nothing, the next has the message", async () => {
    const bus = await serviceBus({ queues: [{ name: "work", requiresSession: true }] });
    const client = bus.connect();
    await client.createSender("work").sendMessages({ sessionId: "a", body: 1 });
    const options = { maxAutoLockRenewalDurationInMs: 0 };
    const first = await client.acceptSession("work", "a", options);
    const held = only(await first.receiveMessages(1));
    await bus.control.skewClock(61_000);
    const second = await until("the session is free", async () =>
      client.acceptSession("work", "a", options).catch(() => undefined),
    );
    expect(await codeOf(first.completeMessage(held))).toBe("SessionLockLost");
    await bus.control.skewClock(0);
    const again = only(await second.receiveMessages(1));
    expect([again.body, again.deliveryCount]).toEqual([1, 1]);
    await second.completeMessage(again);
    expect(await second.peekMessages(10)).toEqual([]);
  });

  test("takes only a number for it", async () => {
    const bus = await serviceBus({ queues: [{ name: "work" }] });
    await expect(bus.control.skewClock("soon" as unknown as number)).rejects.toThrow("skewMs");
  });
});

describe("a client of the control API that goes in the middle of its question", () => {
  test("takes nothing along", async () => {
    const { bus, control } = await faulty();
    const { hostname, port } = new URL(bus.controlUrl);
    const socket = connectSocket(Number(port), hostname);
    await once(socket, "connect");
    socket.write("POST /faults HTTP/1.1\r\nhost: x\r\ncontent-length: 1000\r\n\r\n[");
    socket.resetAndDestroy();
    await once(socket, "close");
    expect((await control.queues()).map(({ name }) => name)).toContain("cases");
  });
});
