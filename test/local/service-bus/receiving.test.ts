// What a receiver of a queue without sessions may rely on.

import type { ServiceBusReceivedMessage } from "@azure/service-bus";
import { describe, expect, test } from "vitest";

import {
  bodies,
  codeOf,
  numberOf,
  only,
  serviceBus,
  until,
  type TestBus,
} from "./with-service-bus.ts";

const entities = {
  queues: [
    { name: "plain", maxDeliveryCount: 3 },
    { name: "brief", lockDuration: "PT0.3S", maxDeliveryCount: 2 },
    {
      name: "expiring",
      deadLetteringOnMessageExpiration: true,
      defaultMessageTimeToLive: "PT0.5S",
    },
    { name: "vanishing" },
  ],
};

async function withMessages(queue: string, ...sent: unknown[]) {
  const bus = await serviceBus(entities);
  const client = bus.connect();
  await client.createSender(queue).sendMessages(sent.map((body) => ({ body })));
  // The SDK would renew locks for five minutes by itself.
  const receiver = client.createReceiver(queue, { maxAutoLockRenewalDurationInMs: 0 });
  const receive = async (): Promise<ServiceBusReceivedMessage> =>
    only(await receiver.receiveMessages(1, { maxWaitTimeInMs: 2000 }));
  return { bus, client, receiver, receive };
}

async function countsOf(bus: TestBus, queue: string) {
  return (await bus.control.queues()).find(({ name }) => name === queue);
}

describe("a locked message", () => {
  test("is gone once it is completed, and cannot be completed again", async () => {
    const { bus, receiver, receive } = await withMessages("plain", 1);
    const message = await receive();
    await receiver.completeMessage(message);
    expect(await countsOf(bus, "plain")).toMatchObject({ active: 0, deadLetter: 0 });
    expect(await codeOf(receiver.completeMessage(message))).not.toBe("no error");
  });

  test("comes again at once when abandoned, with one more delivery and the changed properties", async () => {
    const { receiver, receive } = await withMessages("plain", 1);
    await receiver.abandonMessage(await receive(), { why: "busy" });
    const again = await receive();
    expect(again.deliveryCount).toBe(1);
    expect(again.applicationProperties).toEqual({ why: "busy" });
  });

  test("is seen by no other receiver", async () => {
    const { bus, receive } = await withMessages("plain", 1);
    await receive();
    const other = bus.connect().createReceiver("plain");
    expect(await other.receiveMessages(1, { maxWaitTimeInMs: 200 })).toEqual([]);
  });

  test("is dead-lettered after its last allowed delivery", async () => {
    const { client, receiver, receive } = await withMessages("plain", 1);
    for (const deliveryCount of [0, 1, 2]) {
      const message = await receive();
      expect(message.deliveryCount).toBe(deliveryCount);
      await receiver.abandonMessage(message);
    }
    const dead = client.createReceiver("plain", { subQueueType: "deadLetter" });
    expect(only(await dead.receiveMessages(1))).toMatchObject({
      body: 1,
      deadLetterReason: "MaxDeliveryCountExceeded",
    });
  });

  test("is dead-lettered with the reason the receiver gives", async () => {
    const { client, receiver, receive } = await withMessages("plain", 1);
    await receiver.deadLetterMessage(await receive(), {
      deadLetterReason: "bad",
      deadLetterErrorDescription: "very",
      extra: 5,
    });
    const deadLetters = client.createReceiver("plain", { subQueueType: "deadLetter" });
    const dead = only(await deadLetters.receiveMessages(1));
    expect(dead).toMatchObject({
      deadLetterReason: "bad",
      deadLetterErrorDescription: "very",
      applicationProperties: { extra: 5 },
    });
    expect(await codeOf(deadLetters.deadLetterMessage(dead))).toBe("GeneralError");
  });
});

describe("a lock that runs out", () => {
  test("gives the message to the next receiver, counts a delivery, and refuses the former", async () => {
    const { bus, client, receiver, receive } = await withMessages("brief", 1);
    const message = await receive();
    const second = bus.connect().createReceiver("brief");
    const again = only(await second.receiveMessages(1));
    expect(again.deliveryCount).toBe(1);
    expect(await codeOf(receiver.completeMessage(message))).toBe("MessageLockLost");
    await second.completeMessage(again);
    await client.close();
  });

  test("stands longer when renewed", async () => {
    const { bus, receiver, receive } = await withMessages("brief", 1);
    const message = await receive();
    const firstUntilMs = message.lockedUntilUtc?.getTime() ?? 0;
    await until("the first lock is over", async () => {
      await receiver.renewMessageLock(message);
      return Date.now() > firstUntilMs + 100;
    });
    await receiver.completeMessage(message);
    expect(await countsOf(bus, "brief")).toMatchObject({ active: 0, deadLetter: 0 });
  });

  test("dead-letters a message nobody ever settles", async () => {
    const { bus, receiver } = await withMessages("brief", 1);
    const subscription = receiver.subscribe(
      { processMessage: () => new Promise(() => {}), processError: async () => {} },
      { autoCompleteMessages: false, maxConcurrentCalls: 10 },
    );
    const counts = await until("it is dead-lettered", async () => {
      const now = await countsOf(bus, "brief");
      return now?.deadLetter === 1 && now;
    });
    expect(counts.active).toBe(0);
    void subscription.close();
  });
});

describe("a deferred message", () => {
  test("is passed over, and had by its sequence number alone", async () => {
    const { bus, receiver, receive } = await withMessages("plain", 1, 2);
    const first = await receive();
    await receiver.deferMessage(first, { later: true });
    expect((await receive()).body).toBe(2);
    expect(await countsOf(bus, "plain")).toMatchObject({ deferred: 1 });
    const number = numberOf(first);
    const deferred = only(await receiver.receiveDeferredMessages(number));
    expect(deferred).toMatchObject({ body: 1, state: "deferred" });
    expect(deferred.applicationProperties).toEqual({ later: true });
    expect(await codeOf(receiver.receiveDeferredMessages(number))).toBe("MessageNotFound");
    await receiver.completeMessage(deferred);
    expect(await countsOf(bus, "plain")).toMatchObject({ deferred: 0, active: 1 });
  });

  test("stays deferred when abandoned, and over a restart", async () => {
    const { bus, receiver, receive } = await withMessages("plain", 1);
    const message = await receive();
    const number = numberOf(message);
    await receiver.deferMessage(message);
    await receiver.abandonMessage(only(await receiver.receiveDeferredMessages(number)));
    await bus.restart();
    const later = bus.connect().createReceiver("plain");
    const deferred = only(await later.receiveDeferredMessages(number));
    expect(deferred.deliveryCount).toBe(1);
    await later.deadLetterMessage(deferred, {
      deadLetterReason: "r",
      deadLetterErrorDescription: "d",
    });
    expect(await countsOf(bus, "plain")).toMatchObject({ deferred: 0, deadLetter: 1 });
  });
});

describe("receive and delete", () => {
  test("delivers each message once, and leaves nothing", async () => {
    const { bus, client } = await withMessages("plain", 1, 2, 3);
    const receiver = client.createReceiver("plain", { receiveMode: "receiveAndDelete" });
    const first = await receiver.receiveMessages(2);
    const second = await receiver.receiveMessages(2, { maxWaitTimeInMs: 100 });
    expect(bodies([...first, ...second])).toEqual([1, 2, 3]);
    expect(await countsOf(bus, "plain")).toMatchObject({ active: 0 });
  });
});

describe("peeking", () => {
  test("shows messages in every state and changes nothing", async () => {
    const { client, receiver, receive } = await withMessages("plain", 1, 2, 3);
    await receiver.deferMessage(await receive());
    await receive();
    await client.createSender("plain").scheduleMessages({ body: 4 }, new Date(Date.now() + 60_000));
    const fromStart = (await receiver.peekMessages(10)).map(({ body, state }) => [body, state]);
    expect(fromStart).toEqual([
      [1, "deferred"],
      [2, "active"],
      [3, "active"],
      [4, "scheduled"],
    ]);
    expect(await receiver.peekMessages(10)).toEqual([]);
  });
});

describe("time to live", () => {
  test("over, the message goes to the dead letters where the queue says so", async () => {
    const { bus, client } = await withMessages("expiring", 1);
    await until("it expires", async () => (await countsOf(bus, "expiring"))?.deadLetter === 1);
    const dead = client.createReceiver("expiring", { subQueueType: "deadLetter" });
    expect(only(await dead.receiveMessages(1)).deadLetterReason).toBe("TTLExpiredException");
  });

  test("over, it vanishes where the queue does not, also while the broker was down", async () => {
    const bus = await serviceBus(entities);
    await bus.connect().createSender("vanishing").sendMessages({ body: 1, timeToLive: 100 });
    await bus.restart();
    await until("it expires", async () => (await countsOf(bus, "vanishing"))?.active === 0);
    expect(await countsOf(bus, "vanishing")).toMatchObject({ deadLetter: 0 });
  });

  test("does not run out under a lock", async () => {
    const bus = await serviceBus(entities);
    const client = bus.connect();
    await client.createSender("expiring").sendMessages({ body: 1 });
    const receiver = client.createReceiver("expiring");
    const message = only(await receiver.receiveMessages(1));
    const expiresAtMs = message.expiresAtUtc?.getTime() ?? Infinity;
    await until("its time is over", () => Date.now() > expiresAtMs + 50);
    await receiver.completeMessage(message);
    expect(await countsOf(bus, "expiring")).toMatchObject({ active: 0, deadLetter: 0 });
  });
});

describe("a subscription with several calls at once", () => {
  test("processes all messages and completes them by itself", async () => {
    const sent = Array.from({ length: 200 }, (_, index) => index);
    const { bus, receiver } = await withMessages("plain", ...sent);
    const seen: unknown[] = [];
    const subscription = receiver.subscribe(
      {
        processMessage: async ({ body }) => void seen.push(body),
        processError: async ({ error }) => expect.fail(String(error)),
      },
      { maxConcurrentCalls: 20 },
    );
    await until("all are completed", async () => (await countsOf(bus, "plain"))?.active === 0);
    await subscription.close();
    expect(seen.length).toBe(200);
  });
});
