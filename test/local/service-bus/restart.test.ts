// What outlives a restart of the broker, and what time does to messages meanwhile.
import { describe, expect, test } from "vitest";
import { bodies, numberOf, only, serviceBus, until, type TestBus } from "./with-service-bus.ts";

const entities = {
  queues: [
    { name: "cases", requiresSession: true },
    { name: "plain" },
    { name: "once", requiresDuplicateDetection: true },
  ],
  topics: [
    {
      name: "news",
      subscriptions: [{ name: "all" }, { name: "sessions", requiresSession: true }],
    },
  ],
};

async function countsOf(bus: TestBus, queue: string) {
  return (await bus.control.queues()).find(({ name }) => name === queue);
}

describe("over a restart", () => {
  test("a deferred message stays deferred, and keeps its delivery count", async () => {
    const bus = await serviceBus(entities);
    const client = bus.connect();
    await client.createSender("plain").sendMessages({ body: 1 });
    const receiver = client.createReceiver("plain");
    const message = only(await receiver.receiveMessages(1));
    const number = numberOf(message);
    await receiver.deferMessage(message);
    await receiver.abandonMessage(only(await receiver.receiveDeferredMessages(number)));
    await bus.restart();
    const later = bus.connect().createReceiver("plain");
    const deferred = only(await later.receiveDeferredMessages(number));
    expect(deferred.deliveryCount).toBe(1);
    await later.deadLetterMessage(deferred);
    expect(await countsOf(bus, "plain")).toMatchObject({ deferred: 0, deadLetter: 1 });
  });

  test("a session keeps its state", async () => {
    const bus = await serviceBus(entities);
    const session = await bus.connect(2000).acceptSession("cases", "a");
    await session.setSessionState({ step: 2 });
    await bus.restart();
    const later = await bus.connect().acceptSession("cases", "a");
    expect(await later.getSessionState()).toEqual({ step: 2 });
  });

  test("the ids of duplicate detection are remembered", async () => {
    const bus = await serviceBus(entities);
    await bus.connect().createSender("once").sendMessages({ body: 1, messageId: "a" });
    await bus.restart();
    await bus.connect().createSender("once").sendMessages({ body: 2, messageId: "a" });
    expect((await countsOf(bus, "once"))?.active).toBe(1);
  });

  test("a message whose time to live ended vanishes", async () => {
    const bus = await serviceBus(entities);
    await bus.connect().createSender("plain").sendMessages({ body: 1, timeToLive: 100 });
    await bus.restart();
    await until("it expires", async () => (await countsOf(bus, "plain"))?.active === 0);
    expect(await countsOf(bus, "plain")).toMatchObject({ deadLetter: 0 });
  });

  test("a scheduled message whose time came arrives, in the order of the times", async () => {
    const bus = await serviceBus(entities);
    const sender = bus.connect().createSender("cases");
    const startMs = Date.now();
    const schedule = (body: string, afterMs: number) =>
      sender.scheduleMessages({ body, sessionId: "s" }, new Date(startMs + afterMs));
    await schedule("second", 500);
    await schedule("first", 499);
    await schedule("third", 900);
    await bus.restart();
    const session = await bus.connect().acceptSession("cases", "s");
    const received: unknown[] = [];
    while (received.length < 3) received.push(...bodies(await session.receiveMessages(1)));
    expect(received).toEqual(["first", "second", "third"]);
  });

  test("a message scheduled for a topic is copied at its time, unless it was cancelled", async () => {
    const bus = await serviceBus(entities);
    const sender = bus.connect().createSender("news");
    const at = new Date(Date.now() + 400);
    await sender.scheduleMessages({ body: "kept", sessionId: "s" }, at);
    const cancelled = await sender.scheduleMessages({ body: "cancelled", sessionId: "s" }, at);
    await sender.cancelScheduledMessages(cancelled);
    await bus.restart();
    const receiver = bus.connect().createReceiver("news", "all");
    expect(bodies(await receiver.receiveMessages(2, { maxWaitTimeInMs: 2000 }))).toEqual(["kept"]);
    expect(Date.now()).toBeGreaterThanOrEqual(at.getTime());
    await until("every subscription has it", async () => {
      const counts = await bus.control.queues();
      return counts.find(({ name }) => name === "news/Subscriptions/sessions")?.active === 1;
    });
  });
});
