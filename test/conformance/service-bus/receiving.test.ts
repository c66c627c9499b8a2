// What a receiver of a queue without sessions may rely on. Rules from Microsoft Learn: "Message transfers, locks, and
// settlement" and, of the delivery count, "Messages, payloads, and serialization".
import { describe, expect, test } from "vitest";
import {
  bodies,
  BRIEF,
  codeOf,
  one,
  PLAIN,
  QUIET_MS,
  times,
  until,
  withMessages,
} from "./namespace.ts";

describe("a message under peek-lock", () => {
  test("is gone once it is completed", async () => {
    const { bus, receiver, receive } = await withMessages(PLAIN, 1);
    await receiver.completeMessage(await receive());
    expect([await bus.contents(PLAIN), await bus.deadLetters(PLAIN)]).toEqual([[], []]);
  });

  test("can be settled only once", async () => {
    const { receiver, receive } = await withMessages(PLAIN, 1);
    const message = await receive();
    await receiver.completeMessage(message);
    expect(await codeOf(receiver.completeMessage(message))).not.toBe("no error");
    expect(await codeOf(receiver.abandonMessage(message))).not.toBe("no error");
  });

  test("is given to no other receiver", async () => {
    const { bus, receive, receiver } = await withMessages(PLAIN, 1);
    const message = await receive();
    const other = bus.connect().createReceiver(PLAIN);
    expect(await other.receiveMessages(1, { maxWaitTimeInMs: QUIET_MS })).toEqual([]);
    await receiver.completeMessage(message);
  });

  test("can be received again at once when it is abandoned, and its delivery count has risen", async () => {
    const { receiver, receive } = await withMessages(PLAIN, 1);
    await receiver.abandonMessage(await receive());
    const again = await receive();
    expect(again.deliveryCount).toBe(1);
    await receiver.completeMessage(again);
  });

  test("takes the properties that an abandon modifies", async () => {
    const { receiver, receive } = await withMessages(PLAIN, 1);
    await receiver.abandonMessage(await receive(), { why: "busy" });
    const again = await receive();
    expect(again.applicationProperties).toMatchObject({ why: "busy" });
    await receiver.completeMessage(again);
  });

  test("comes in the order in which the messages arrived", async () => {
    const { receiver, receive } = await withMessages(PLAIN, 1, 2, 3);
    for (const expected of [1, 2, 3]) {
      const message = await receive();
      expect(message.body).toBe(expected);
      await receiver.completeMessage(message);
    }
  });

  test("tells until when it is locked", async () => {
    const { receiver, receive } = await withMessages(PLAIN, 1);
    const message = await receive();
    const lockedForMs = (message.lockedUntilUtc?.getTime() ?? 0) - Date.now();
    expect(lockedForMs).toBeGreaterThan(20_000);
    expect(lockedForMs).toBeLessThan(40_000);
    await receiver.completeMessage(message);
  });
});

describe("a receiver", () => {
  test("waits for a message that is not there yet", async () => {
    const { receiver, sender } = await withMessages(PLAIN);
    const waiting = one(receiver.receiveMessages(1, { maxWaitTimeInMs: 10_000 }));
    await sender.sendMessages({ body: "late" });
    const message = await waiting;
    expect(message.body).toBe("late");
    await receiver.completeMessage(message);
  });

  test("is given at most as many messages as it asks for", async () => {
    const { receiver } = await withMessages(PLAIN, 1, 2, 3);
    const first = await receiver.receiveMessages(2, { maxWaitTimeInMs: 2000 });
    expect(bodies(first)).toEqual([1, 2]);
    for (const message of first) await receiver.completeMessage(message);
  });

  test("shares a queue with others: each message goes to one of them", async () => {
    const { bus, receiver, sender } = await withMessages(PLAIN);
    const sent = Array.from({ length: 20 }, (_, n) => n);
    await sender.sendMessages(sent.map((body) => ({ body })));
    const other = bus.connect().createReceiver(PLAIN);
    const seen: unknown[] = [];
    const givenUpAtMs = Date.now() + 20 * QUIET_MS;
    const take = async (from: typeof receiver) => {
      while (seen.length < sent.length && Date.now() < givenUpAtMs) {
        const messages = await from.receiveMessages(4, { maxWaitTimeInMs: QUIET_MS });
        seen.push(...bodies(messages));
        for (const message of messages) await from.completeMessage(message);
      }
    };
    await Promise.all([take(receiver), take(other)]);
    expect(seen.toSorted((a, b) => Number(a) - Number(b))).toEqual(sent);
  });

  test("in receive-and-delete mode gets each message once, and leaves nothing", async () => {
    const { bus, client } = await withMessages(PLAIN, 1, 2);
    const receiver = client.createReceiver(PLAIN, { receiveMode: "receiveAndDelete" });
    const received = await receiver.receiveMessages(3, { maxWaitTimeInMs: 3 * QUIET_MS });
    expect(bodies(received)).toEqual([1, 2]);
    expect(await bus.contents(PLAIN)).toEqual([]);
  });

  test("that subscribes has its messages completed when the handler ends", async () => {
    const { bus, receiver, sender } = await withMessages(PLAIN);
    const sent = Array.from({ length: 50 }, (_, n) => n);
    await sender.sendMessages(sent.map((body) => ({ body })));
    const seen: unknown[] = [];
    const subscription = receiver.subscribe(
      {
        processMessage: async ({ body }) => void seen.push(body),
        processError: async () => {},
      },
      { maxConcurrentCalls: 10 },
    );
    await until("the queue is empty", async () => (await bus.contents(PLAIN)).length === 0);
    await subscription.close();
    expect(seen.toSorted((a, b) => Number(a) - Number(b))).toEqual(sent);
  });

  test("that subscribes has a message abandoned when the handler throws", async () => {
    const { bus, receiver, sender } = await withMessages(PLAIN);
    const counts: unknown[] = [];
    const subscription = receiver.subscribe({
      processMessage: async ({ deliveryCount }) => {
        counts.push(deliveryCount);
        if (counts.length === 1) throw new Error("the first time it fails");
      },
      processError: async () => {},
    });
    await sender.sendMessages({ body: 1 });
    await until("it is done", async () => {
      return counts.length > 1 && (await bus.contents(PLAIN)).length === 0;
    });
    await subscription.close();
    expect(counts).toEqual([0, 1]);
  });
});

describe("a message lock", () => {
  test("that expires gives the message to the next receiver and raises its delivery count (waits)", async () => {
    const { bus, receive } = await withMessages(BRIEF, 1);
    const message = await receive();
    const other = bus.connect().createReceiver(BRIEF);
    const again = await one(other.receiveMessages(1, { maxWaitTimeInMs: 6 * times.lockMs }));
    expect(Date.now()).toBeGreaterThanOrEqual(message.lockedUntilUtc?.getTime() ?? Infinity);
    expect(again.deliveryCount).toBe(1);
    await other.completeMessage(again);
  });

  test("that expired settles nothing any more: the lock is lost (waits)", async () => {
    const { bus, receiver, receive } = await withMessages(BRIEF, 1);
    const message = await receive();
    const other = bus.connect().createReceiver(BRIEF);
    const again = await one(other.receiveMessages(1, { maxWaitTimeInMs: 6 * times.lockMs }));
    expect(await codeOf(receiver.completeMessage(message))).toBe("MessageLockLost");
    await other.completeMessage(again);
  });

  test("stands longer when it is renewed (waits)", async () => {
    const { bus, receiver, receive } = await withMessages(BRIEF, 1);
    const message = await receive();
    const firstUntilMs = message.lockedUntilUtc?.getTime() ?? 0;
    const renewedUntil = await receiver.renewMessageLock(message);
    expect(renewedUntil.getTime()).toBeGreaterThanOrEqual(firstUntilMs);
    await until("the first lock is over", async () => {
      await receiver.renewMessageLock(message);
      return Date.now() > firstUntilMs + 100;
    });
    await receiver.completeMessage(message);
    expect(await bus.contents(BRIEF)).toEqual([]);
  });

  test("is renewed by the SDK while it is told to (waits)", async () => {
    const { bus, client } = await withMessages(BRIEF, 1);
    const receiver = client.createReceiver(BRIEF);
    const message = await one(receiver.receiveMessages(1));
    const firstUntilMs = message.lockedUntilUtc?.getTime() ?? 0;
    await until("two locks are over", () => Date.now() > firstUntilMs + times.lockMs);
    await receiver.completeMessage(message);
    expect(await bus.contents(BRIEF)).toEqual([]);
  });

  test("of a message that was completed cannot be renewed", async () => {
    const { receiver, receive } = await withMessages(PLAIN, 1);
    const message = await receive();
    await receiver.completeMessage(message);
    expect(await codeOf(receiver.renewMessageLock(message))).toBe("MessageLockLost");
  });

  test("outlives the link that took it, and counts only when it expires (waits)", async () => {
    const { bus, receiver, receive } = await withMessages(BRIEF, 1);
    const message = await receive();
    const lockedUntilMs = message.lockedUntilUtc?.getTime() ?? Infinity;
    await receiver.close();
    const other = bus.connect().createReceiver(BRIEF);
    const again = await one(other.receiveMessages(1, { maxWaitTimeInMs: 6 * times.lockMs }));
    expect(Date.now()).toBeGreaterThanOrEqual(lockedUntilMs);
    expect(again.deliveryCount).toBe(1);
    await other.completeMessage(again);
  });
});
