// What a sender may rely on. Rules from Microsoft Learn: "Messages, payloads, and serialization", "Service Bus quotas",
// "Duplicate detection", "Message sequencing and timestamps" (scheduled messages).
import { describe, expect, test } from "vitest";
import {
  bodies,
  codeOf,
  namespace,
  numberOf,
  one,
  ONCE,
  PLAIN,
  QUIET_MS,
  SESSIONS,
  times,
} from "./namespace.ts";

const soon = () => new Date(Date.now() + times.soonMs);
const muchLater = () => new Date(Date.now() + 3_600_000);

describe("a message that is sent", () => {
  test("arrives with its body, broker properties and typed application properties", async () => {
    const client = (await namespace(PLAIN)).connect();
    const sent = {
      body: { amount: 12.5, lines: [1, 2], note: "ü" },
      messageId: "m-1",
      correlationId: "c-1",
      subject: "invoice",
      contentType: "application/json",
      to: "somewhere",
      replyTo: "back",
      applicationProperties: { text: "a", whole: 7, real: 1.5, yes: true },
    };
    await client.createSender(PLAIN).sendMessages(sent);
    const receiver = client.createReceiver(PLAIN);
    const received = await one(receiver.receiveMessages(1));
    expect(received).toMatchObject(sent);
    await receiver.completeMessage(received);
  });

  test("keeps a binary, a text and an empty body apart", async () => {
    const client = (await namespace(PLAIN)).connect();
    const sent = [Buffer.from([0, 1, 255]), "text", null];
    for (const body of sent) await client.createSender(PLAIN).sendMessages({ body });
    const receiver = client.createReceiver(PLAIN, { receiveMode: "receiveAndDelete" });
    const received = await receiver.receiveMessages(3, { maxWaitTimeInMs: 3000 });
    expect(bodies(received)).toEqual(sent);
  });

  test("has a delivery count of none and is active before its first delivery", async () => {
    const bus = await namespace(PLAIN);
    await bus.connect().createSender(PLAIN).sendMessages({ body: 1 });
    const [peeked] = await bus.contents(PLAIN);
    expect(peeked).toMatchObject({ deliveryCount: 0, state: "active" });
  });

  test("is given a sequence number that rises with each message, and the time of its arrival", async () => {
    const bus = await namespace(PLAIN);
    const sender = bus.connect().createSender(PLAIN);
    for (const body of [1, 2, 3]) await sender.sendMessages({ body });
    const found = await bus.contents(PLAIN);
    const numbers = found.map((message) => numberOf(message).toNumber());
    expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b));
    const [enqueuedAtMs = 0] = found.map((message) => message.enqueuedTimeUtc?.getTime());
    expect(Math.abs(enqueuedAtMs - Date.now())).toBeLessThan(30_000);
  });

  test("is refused whole above the size limit, and the queue stays empty", async () => {
    const bus = await namespace(PLAIN);
    const sender = bus.connect().createSender(PLAIN);
    const { maxSizeInBytes } = await sender.createMessageBatch();
    const large = sender.sendMessages({ body: "x".repeat(maxSizeInBytes) });
    expect(await codeOf(large)).toBe("MessageSizeExceeded");
    expect(await bus.contents(PLAIN)).toEqual([]);
  });

  test("without a session id is refused by a queue that requires sessions", async () => {
    const bus = await namespace(SESSIONS);
    const sender = bus.connect().createSender(SESSIONS);
    expect(await codeOf(sender.sendMessages({ body: 1 }))).not.toBe("no error");
    expect(await bus.contents(SESSIONS)).toEqual([]);
  });

  test("to an entity that does not exist is refused as not found", async () => {
    const sender = (await namespace()).connect().createSender("conformance-nowhere");
    expect(await codeOf(sender.sendMessages({ body: 1 }))).toBe("MessagingEntityNotFound");
  });
});

describe("a batch", () => {
  test("is stored in the order in which it was filled", async () => {
    const bus = await namespace(PLAIN);
    const sender = bus.connect().createSender(PLAIN);
    const batch = await sender.createMessageBatch();
    for (const body of [1, 2, 3]) batch.tryAddMessage({ body });
    await sender.sendMessages(batch);
    expect(bodies(await bus.contents(PLAIN))).toEqual([1, 2, 3]);
  });

  test("says no to what would make it larger than the limit", async () => {
    const sender = (await namespace()).connect().createSender(PLAIN);
    const batch = await sender.createMessageBatch({ maxSizeInBytes: 1000 });
    expect(batch.tryAddMessage({ body: "x".repeat(500) })).toBe(true);
    expect(batch.tryAddMessage({ body: "x".repeat(500) })).toBe(false);
    expect(batch.count).toBe(1);
  });

  test("of which one message is refused is refused whole: all or nothing is stored", async () => {
    const bus = await namespace(SESSIONS);
    const sender = bus.connect().createSender(SESSIONS);
    const batch = [{ body: 1, sessionId: "s" }, { body: 2 }];
    expect(await codeOf(sender.sendMessages(batch))).not.toBe("no error");
    expect(await bus.contents(SESSIONS)).toEqual([]);
  });
});

describe("duplicate detection", () => {
  test("accepts a second message of one id and drops it", async () => {
    const bus = await namespace(ONCE);
    const sender = bus.connect().createSender(ONCE);
    const messageId = crypto.randomUUID();
    await sender.sendMessages({ body: "first", messageId });
    await sender.sendMessages({ body: "second", messageId });
    expect(bodies(await bus.contents(ONCE))).toEqual(["first"]);
  });

  test("drops a duplicate inside a batch and keeps the others", async () => {
    const bus = await namespace(ONCE);
    const sender = bus.connect().createSender(ONCE);
    const [known, other] = [crypto.randomUUID(), crypto.randomUUID()];
    await sender.sendMessages([
      { body: "first", messageId: known },
      { body: "second", messageId: known },
      { body: "other", messageId: other },
    ]);
    expect(bodies(await bus.contents(ONCE))).toEqual(["first", "other"]);
  });

  test("holds although the first message was completed and is gone", async () => {
    const bus = await namespace(ONCE);
    const client = bus.connect();
    const messageId = crypto.randomUUID();
    await client.createSender(ONCE).sendMessages({ body: "first", messageId });
    const receiver = client.createReceiver(ONCE);
    await receiver.completeMessage(await one(receiver.receiveMessages(1)));
    await client.createSender(ONCE).sendMessages({ body: "second", messageId });
    expect(await bus.contents(ONCE)).toEqual([]);
  });

  test("covers scheduled messages", async () => {
    const bus = await namespace(ONCE);
    const sender = bus.connect().createSender(ONCE);
    const messageId = crypto.randomUUID();
    await sender.sendMessages({ body: "first", messageId });
    await sender.scheduleMessages({ body: "later", messageId }, muchLater());
    expect(bodies(await bus.contents(ONCE))).toEqual(["first"]);
  });

  test("lets an id pass again once the history window is over (waits)", async () => {
    const bus = await namespace(ONCE);
    const sender = bus.connect().createSender(ONCE);
    const messageId = crypto.randomUUID();
    const startedAtMs = Date.now();
    let count = 0;
    // The window may be counted from the last of them, so each look lets it pass whole.
    while (count < 2 && Date.now() - startedAtMs < 5 * times.windowMs) {
      await sender.sendMessages({ body: "again", messageId });
      const lookAgainAtMs = Date.now() + 1.2 * times.windowMs;
      count = (await bus.contents(ONCE)).length;
      while (count < 2 && Date.now() < lookAgainAtMs) count = (await bus.contents(ONCE)).length;
    }
    expect(count).toBe(2);
    expect(Date.now() - startedAtMs).toBeGreaterThanOrEqual(times.windowMs);
  });

  test("is off where the queue does not ask for it: both messages of one id are kept", async () => {
    const bus = await namespace(PLAIN);
    const sender = bus.connect().createSender(PLAIN);
    for (const body of [1, 2]) await sender.sendMessages({ body, messageId: "same" });
    expect(bodies(await bus.contents(PLAIN))).toEqual([1, 2]);
  });
});

describe("a scheduled message", () => {
  test("is enqueued at its time and not before, under a new sequence number (waits)", async () => {
    const bus = await namespace(PLAIN);
    const client = bus.connect();
    const at = soon();
    const [scheduled] = await client.createSender(PLAIN).scheduleMessages({ body: "later" }, at);
    const receiver = client.createReceiver(PLAIN, { receiveMode: "receiveAndDelete" });
    const received = await one(receiver.receiveMessages(1));
    expect(Date.now()).toBeGreaterThanOrEqual(at.getTime());
    expect(numberOf(received).toNumber()).toBeGreaterThan(scheduled?.toNumber() ?? Infinity);
  });

  test("may be sent with a property instead of a call (waits)", async () => {
    const client = (await namespace(PLAIN)).connect();
    const at = soon();
    await client.createSender(PLAIN).sendMessages({ body: 1, scheduledEnqueueTimeUtc: at });
    const receiver = client.createReceiver(PLAIN, { receiveMode: "receiveAndDelete" });
    const received = await one(receiver.receiveMessages(1));
    expect(received.scheduledEnqueueTimeUtc).toEqual(at);
    expect(Date.now()).toBeGreaterThanOrEqual(at.getTime());
  });

  test("can be peeked in the state scheduled, and cannot be received", async () => {
    const bus = await namespace(PLAIN);
    const client = bus.connect();
    await client.createSender(PLAIN).scheduleMessages({ body: "later" }, muchLater());
    const [peeked] = await bus.contents(PLAIN);
    expect(peeked).toMatchObject({ body: "later", state: "scheduled" });
    const receiver = client.createReceiver(PLAIN);
    expect(await receiver.receiveMessages(1, { maxWaitTimeInMs: QUIET_MS })).toEqual([]);
  });

  test("has its own number in a call for several, and each can be cancelled alone", async () => {
    const bus = await namespace(PLAIN);
    const sender = bus.connect().createSender(PLAIN);
    const both = [{ body: 1 }, { body: 2 }];
    const [first, second] = await sender.scheduleMessages(both, muchLater());
    expect(first?.toString()).not.toBe(second?.toString());
    if (first !== undefined) await sender.cancelScheduledMessages(first);
    expect(bodies(await bus.contents(PLAIN))).toEqual([2]);
  });

  test("is gone once it is cancelled, and cannot be cancelled twice", async () => {
    const bus = await namespace(PLAIN);
    const sender = bus.connect().createSender(PLAIN);
    const numbers = await sender.scheduleMessages({ body: 1 }, muchLater());
    await sender.cancelScheduledMessages(numbers);
    expect(await bus.contents(PLAIN)).toEqual([]);
    expect(await codeOf(sender.cancelScheduledMessages(numbers))).toBe("MessageNotFound");
  });

  test("whose time is past is enqueued at once", async () => {
    const client = (await namespace(PLAIN)).connect();
    await client.createSender(PLAIN).scheduleMessages({ body: 1 }, new Date(Date.now() - 1000));
    const receiver = client.createReceiver(PLAIN, { receiveMode: "receiveAndDelete" });
    expect((await one(receiver.receiveMessages(1))).body).toBe(1);
  });
});
