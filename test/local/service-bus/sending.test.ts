// What a sender may rely on.

import { describe, expect, test } from "vitest";

import { bodies, codeOf, only, serviceBus } from "./with-service-bus.ts";

const entities = {
  queues: [
    { name: "plain" },
    { name: "cases", requiresSession: true },
    {
      name: "once",
      requiresDuplicateDetection: true,
      duplicateDetectionHistoryTimeWindow: "PT0.4S",
    },
  ],
};

describe("a message that is sent", () => {
  test("arrives with its body, its properties and their types", async () => {
    const client = (await serviceBus(entities)).connect();
    const sent = {
      body: { amount: 12.5, lines: [1, 2], note: "ü" },
      messageId: "m-1",
      correlationId: "c-1",
      subject: "invoice",
      contentType: "application/json",
      to: "somewhere",
      replyTo: "back",
      applicationProperties: {
        text: "a",
        whole: 7,
        real: 1.5,
        yes: true,
      },
    };
    await client.createSender("plain").sendMessages(sent);
    const received = only(await client.createReceiver("plain").receiveMessages(1));
    expect(received).toMatchObject(sent);
    expect(received.deliveryCount).toBe(0);
    expect(received.sequenceNumber?.toNumber()).toBe(1);
    expect(received.state).toBe("active");
  });

  test("keeps a binary, a text and an empty body apart", async () => {
    const client = (await serviceBus(entities)).connect();
    const sender = client.createSender("plain");
    await sender.sendMessages([
      { body: Buffer.from([0, 1, 255]) },
      { body: "text" },
      { body: null },
    ]);
    const received = await client.createReceiver("plain").receiveMessages(3);
    expect(bodies(received)).toEqual([Buffer.from([0, 1, 255]), "text", null]);
  });

  test("is refused whole above 256 KB, and the queue stays empty", async () => {
    const bus = await serviceBus(entities);
    const sender = bus.connect().createSender("plain");
    expect(await codeOf(sender.sendMessages({ body: "x".repeat(262_144) }))).toBe(
      "MessageSizeExceeded",
    );
    expect(only((await bus.control.queues()).slice(0, 1)).active).toBe(0);
  });

  test("is refused on a session queue when it names no session", async () => {
    const sender = (await serviceBus(entities)).connect().createSender("cases");
    expect(await codeOf(sender.sendMessages({ body: 1 }))).toBe("GeneralError");
  });

  test("to a queue that is not there is refused as not found", async () => {
    const sender = (await serviceBus(entities)).connect().createSender("nowhere");
    expect(await codeOf(sender.sendMessages({ body: 1 }))).toBe("MessagingEntityNotFound");
  });
});

describe("a batch", () => {
  test("is stored in order", async () => {
    const client = (await serviceBus(entities)).connect();
    const sender = client.createSender("plain");
    const batch = await sender.createMessageBatch();
    expect(batch.maxSizeInBytes).toBe(262_144);
    for (const body of [1, 2, 3]) batch.tryAddMessage({ body });
    await sender.sendMessages(batch);
    expect(bodies(await client.createReceiver("plain").receiveMessages(3))).toEqual([1, 2, 3]);
  });

  test("of which one message is refused leaves nothing behind", async () => {
    const bus = await serviceBus(entities);
    const sender = bus.connect().createSender("cases");
    const batch = [{ body: 1, sessionId: "s" }, { body: 2 }];
    expect(await codeOf(sender.sendMessages(batch))).toBe("GeneralError");
    const counts = await bus.control.queues();
    expect(counts.find(({ name }) => name === "cases")?.active).toBe(0);
  });
});

describe("duplicate detection", () => {
  test("accepts and drops a second message of one id, single, in a batch or scheduled", async () => {
    const client = (await serviceBus(entities)).connect();
    const sender = client.createSender("once");
    await sender.sendMessages({ body: "first", messageId: "a" });
    await sender.sendMessages({ body: "second", messageId: "a" });
    await sender.sendMessages([
      { body: "third", messageId: "a" },
      { body: "other", messageId: "b" },
    ]);
    await sender.scheduleMessages({ body: "later", messageId: "a" }, new Date(Date.now() + 50));
    const receiver = client.createReceiver("once");
    expect(bodies(await receiver.receiveMessages(5, { maxWaitTimeInMs: 300 }))).toEqual([
      "first",
      "other",
    ]);
  });

  test("gives a duplicate schedule the number of the first, so that it can be cancelled", async () => {
    const sender = (await serviceBus(entities)).connect().createSender("once");
    const later = new Date(Date.now() + 60_000);
    const [first] = await sender.scheduleMessages({ body: 1, messageId: "a" }, later);
    const [second] = await sender.scheduleMessages({ body: 1, messageId: "a" }, later);
    expect(second?.toString()).toBe(first?.toString());
  });

  test("lets an id pass again once the window is over", async () => {
    const bus = await serviceBus(entities);
    const client = bus.connect();
    const sender = client.createSender("once");
    const receiver = client.createReceiver("once", { receiveMode: "receiveAndDelete" });
    const seen: unknown[] = [];
    const startedAtMs = Date.now();
    while (seen.length < 2) {
      await sender.sendMessages({ body: "again", messageId: "a" });
      seen.push(...bodies(await receiver.receiveMessages(1, { maxWaitTimeInMs: 50 })));
    }
    expect(Date.now() - startedAtMs).toBeGreaterThanOrEqual(400);
  });

  test("remembers ids over a restart", async () => {
    const bus = await serviceBus({
      queues: [{ name: "once", requiresDuplicateDetection: true }],
    });
    await bus.connect().createSender("once").sendMessages({ body: 1, messageId: "a" });
    await bus.restart();
    await bus.connect().createSender("once").sendMessages({ body: 2, messageId: "a" });
    expect(only(await bus.control.queues()).active).toBe(1);
  });
});

describe("a scheduled message", () => {
  test("becomes active at its time, under a new sequence number", async () => {
    const client = (await serviceBus(entities)).connect();
    const atMs = Date.now() + 300;
    const [scheduled] = await client
      .createSender("plain")
      .scheduleMessages({ body: "later" }, new Date(atMs));
    const received = only(await client.createReceiver("plain").receiveMessages(1));
    expect(Date.now()).toBeGreaterThanOrEqual(atMs);
    expect(received.sequenceNumber?.toNumber()).toBeGreaterThan(scheduled?.toNumber() ?? Infinity);
  });

  test("can be sent with a property instead of a call", async () => {
    const bus = await serviceBus(entities);
    const client = bus.connect();
    const scheduledEnqueueTimeUtc = new Date(Date.now() + 300);
    await client.createSender("plain").sendMessages({ body: 1, scheduledEnqueueTimeUtc });
    expect((await bus.control.queues())[0]).toMatchObject({ scheduled: 1, active: 0 });
    const received = only(await client.createReceiver("plain").receiveMessages(1));
    expect(received.scheduledEnqueueTimeUtc).toEqual(scheduledEnqueueTimeUtc);
    expect(Date.now()).toBeGreaterThanOrEqual(scheduledEnqueueTimeUtc.getTime());
  });

  test("never arrives once it is cancelled, and cannot be cancelled twice", async () => {
    const bus = await serviceBus(entities);
    const sender = bus.connect().createSender("plain");
    const numbers = await sender.scheduleMessages(
      [{ body: 1 }, { body: 2 }],
      new Date(Date.now() + 60_000),
    );
    await sender.cancelScheduledMessages(numbers);
    expect((await bus.control.queues())[0]?.scheduled).toBe(0);
    expect(await codeOf(sender.cancelScheduledMessages(numbers))).toBe("MessageNotFound");
  });

  test("whose time came while the broker was down arrives after the restart", async () => {
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
});
