// Messages that are set aside: dead-lettered, deferred, looked at, expired. Rules from Microsoft Learn: "Overview of dead-letter
// queues", "Message deferral", "Message browsing", "Message expiration (time to live)".
import { describe, expect, test } from "vitest";
import {
  bodies,
  BRIEF,
  codeOf,
  EXPIRING,
  numberOf,
  one,
  PLAIN,
  QUIET_MS,
  times,
  until,
  withMessages,
} from "./namespace.ts";

const MUCH_LATER_MS = 3_600_000;

describe("the dead-letter queue", () => {
  test("takes a message whose delivery count reaches the maximum, and names that reason", async () => {
    const { bus, receiver, receive } = await withMessages(PLAIN, 1);
    for (let delivery = 0; delivery < 3; delivery += 1) {
      const message = await receive();
      expect(message.deliveryCount).toBe(delivery);
      await receiver.abandonMessage(message);
    }
    expect(await bus.contents(PLAIN)).toEqual([]);
    const [dead] = await bus.deadLetters(PLAIN);
    expect(dead).toMatchObject({ body: 1, deadLetterReason: "MaxDeliveryCountExceeded" });
  });

  test("takes a message whose lock expires that often (waits)", async () => {
    const { bus, receiver } = await withMessages(BRIEF, 1);
    const subscription = receiver.subscribe(
      { processMessage: () => new Promise(() => {}), processError: async () => {} },
      { autoCompleteMessages: false, maxConcurrentCalls: 5 },
    );
    const [dead] = await until("it is dead-lettered", async () => {
      const found = await bus.deadLetters(BRIEF);
      return found.length > 0 && found;
    });
    void subscription.close();
    expect(dead?.deadLetterReason).toBe("MaxDeliveryCountExceeded");
  });

  test("keeps the reason, the description and the properties that a receiver gives", async () => {
    const { bus, receiver, receive } = await withMessages(PLAIN, 1);
    await receiver.deadLetterMessage(await receive(), {
      deadLetterReason: "bad",
      deadLetterErrorDescription: "very bad",
      extra: 5,
    });
    const [dead] = await bus.deadLetters(PLAIN);
    expect(dead).toMatchObject({
      deadLetterReason: "bad",
      deadLetterErrorDescription: "very bad",
      applicationProperties: { extra: 5 },
    });
  });

  test("is received from like a queue, and its messages are completed there", async () => {
    const { bus, client, receiver, receive } = await withMessages(PLAIN, 1);
    await receiver.deadLetterMessage(await receive());
    const dead = client.createReceiver(PLAIN, { subQueueType: "deadLetter" });
    await dead.completeMessage(await one(dead.receiveMessages(1)));
    expect(await bus.deadLetters(PLAIN)).toEqual([]);
  });

  test("keeps its messages however often they are abandoned", async () => {
    const { bus, client, receiver, receive } = await withMessages(PLAIN, 1);
    await receiver.deadLetterMessage(await receive());
    const dead = client.createReceiver(PLAIN, { subQueueType: "deadLetter" });
    for (let delivery = 0; delivery < 5; delivery += 1) {
      await dead.abandonMessage(await one(dead.receiveMessages(1)));
    }
    expect(bodies(await bus.deadLetters(PLAIN))).toEqual([1]);
  });
});

describe("a deferred message", () => {
  test("stays in the queue and is passed over by receivers", async () => {
    const { bus, receiver, receive } = await withMessages(PLAIN, 1, 2);
    await receiver.deferMessage(await receive());
    const next = await receive();
    expect(next.body).toBe(2);
    await receiver.completeMessage(next);
    expect((await bus.contents(PLAIN)).map(({ body, state }) => [body as unknown, state])).toEqual([
      [1, "deferred"],
    ]);
  });

  test("is received by its sequence number, with the properties that were modified", async () => {
    const { receiver, receive } = await withMessages(PLAIN, 1);
    const message = await receive();
    await receiver.deferMessage(message, { later: true });
    const deferred = await one(receiver.receiveDeferredMessages(numberOf(message)));
    expect(deferred).toMatchObject({ body: 1, applicationProperties: { later: true } });
    await receiver.completeMessage(deferred);
  });

  test("is gone once it is completed: its number is not found", async () => {
    const { bus, receiver, receive } = await withMessages(PLAIN, 1);
    const message = await receive();
    await receiver.deferMessage(message);
    await receiver.completeMessage(await one(receiver.receiveDeferredMessages(numberOf(message))));
    const again = receiver.receiveDeferredMessages(numberOf(message));
    expect(await codeOf(again)).toBe("MessageNotFound");
    expect(await bus.contents(PLAIN)).toEqual([]);
  });

  test("stays deferred when it is abandoned", async () => {
    const { bus, receiver, receive } = await withMessages(PLAIN, 1);
    const message = await receive();
    await receiver.deferMessage(message);
    await receiver.abandonMessage(await one(receiver.receiveDeferredMessages(numberOf(message))));
    expect((await bus.contents(PLAIN)).map(({ state }) => state)).toEqual(["deferred"]);
  });

  test("can be dead-lettered", async () => {
    const { bus, receiver, receive } = await withMessages(PLAIN, 1);
    const message = await receive();
    await receiver.deferMessage(message);
    const deferred = await one(receiver.receiveDeferredMessages(numberOf(message)));
    await receiver.deadLetterMessage(deferred, {
      deadLetterReason: "late",
      deadLetterErrorDescription: "",
    });
    const [dead] = await bus.deadLetters(PLAIN);
    expect(dead?.deadLetterReason).toBe("late");
  });

  test("that never was is not found, and a message that is not deferred neither", async () => {
    const { bus, receiver } = await withMessages(PLAIN, 1);
    const [active] = await bus.contents(PLAIN);
    expect(await codeOf(receiver.receiveDeferredMessages(numberOf(active)))).toBe(
      "MessageNotFound",
    );
  });
});

describe("peeking", () => {
  test("shows active, deferred and scheduled messages, locked ones included", async () => {
    const { bus, sender, receiver, receive } = await withMessages(PLAIN, 1, 2, 3);
    await receiver.deferMessage(await receive());
    const locked = await receive();
    await sender.scheduleMessages({ body: 4 }, new Date(Date.now() + MUCH_LATER_MS));
    expect((await bus.contents(PLAIN)).map(({ body, state }) => [body as unknown, state])).toEqual([
      [1, "deferred"],
      [2, "active"],
      [3, "active"],
      [4, "scheduled"],
    ]);
    await receiver.completeMessage(locked);
  });

  test("locks nothing and counts no delivery", async () => {
    const { bus, receiver, receive } = await withMessages(PLAIN, 1);
    for (let look = 0; look < 5; look += 1) await bus.contents(PLAIN);
    const message = await receive();
    expect(message.deliveryCount).toBe(0);
    await receiver.completeMessage(message);
  });

  test("goes on after the last message that it showed", async () => {
    const { receiver } = await withMessages(PLAIN, 1, 2, 3);
    expect(bodies(await receiver.peekMessages(2))).toEqual([1, 2]);
    expect(bodies(await receiver.peekMessages(2))).toEqual([3]);
    expect(await receiver.peekMessages(2)).toEqual([]);
  });

  test("starts at the sequence number that it is given", async () => {
    const { bus, receiver } = await withMessages(PLAIN, 1, 2, 3);
    const [, second] = await bus.contents(PLAIN);
    const from = { fromSequenceNumber: numberOf(second) };
    expect(bodies(await receiver.peekMessages(9, from))).toEqual([2, 3]);
  });
});

describe("a message's time to live", () => {
  test("over, it goes to the dead-letter queue where the entity says so (waits)", async () => {
    const { bus, client } = await withMessages(EXPIRING, 1);
    // Azure looks at the time when somebody receives.
    const receiver = client.createReceiver(EXPIRING, { maxAutoLockRenewalDurationInMs: 0 });
    await until("it has expired", async () => (await bus.contents(EXPIRING)).length === 0);
    expect(await receiver.receiveMessages(1, { maxWaitTimeInMs: QUIET_MS })).toEqual([]);
    const [dead] = await bus.deadLetters(EXPIRING);
    expect(dead?.deadLetterReason).toBe("TTLExpiredException");
  });

  test("over, it is lost where the entity does not (waits)", async () => {
    const { bus, receiver, sender } = await withMessages(PLAIN);
    const timeToLive = times.timeToLiveMs;
    await sender.sendMessages({ body: 1, timeToLive });
    const endsAtMs = Date.now() + timeToLive;
    await until("its time is over", () => Date.now() > endsAtMs + 100);
    expect(await receiver.receiveMessages(1, { maxWaitTimeInMs: QUIET_MS })).toEqual([]);
    expect(await bus.deadLetters(PLAIN)).toEqual([]);
  });

  test("is the shorter of the message's own and the entity's default", async () => {
    const { bus, sender } = await withMessages(EXPIRING);
    await sender.sendMessages({ body: 1, timeToLive: MUCH_LATER_MS });
    const [message] = await bus.contents(EXPIRING);
    const endsInMs = (message?.expiresAtUtc?.getTime() ?? Infinity) - Date.now();
    expect(endsInMs).toBeLessThan(times.timeToLiveMs + 30_000);
  });

  test("that ends under a lock leaves the message to the one who has it (waits)", async () => {
    const { bus, receiver, receive } = await withMessages(EXPIRING, 1);
    const message = await receive();
    const endsAtMs = Date.now() + times.timeToLiveMs;
    await until("its time is over", () => Date.now() > endsAtMs + 100);
    await receiver.completeMessage(message);
    expect([await bus.contents(EXPIRING), await bus.deadLetters(EXPIRING)]).toEqual([[], []]);
  });
});
