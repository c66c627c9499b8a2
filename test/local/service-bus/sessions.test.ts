// What the receiver of a session may rely on: order, and being alone.

import { fork } from "node:child_process";

import { describe, expect, test } from "vitest";

import { managementRequests } from "./raw-client.ts";
import {
  afterTest,
  bodies,
  codeOf,
  numberOf,
  only,
  serviceBus,
  until,
} from "./with-service-bus.ts";

const entities = {
  queues: [
    { name: "cases", requiresSession: true, maxDeliveryCount: 3 },
    { name: "brief", requiresSession: true, lockDuration: "PT0.4S", maxDeliveryCount: 2 },
    { name: "plain" },
  ],
};

async function withSessions(queue: string, ...sent: [sessionId: string, body: unknown][]) {
  const bus = await serviceBus(entities);
  const client = bus.connect(2000);
  const sender = client.createSender(queue);
  for (const [sessionId, body] of sent) await sender.sendMessages({ sessionId, body });
  return { bus, client, sender };
}

describe("a session", () => {
  test("delivers its own messages alone, first in first out", async () => {
    const { client } = await withSessions("cases", ["a", 1], ["b", 2], ["a", 3], ["a", 4]);
    const session = await client.acceptSession("cases", "a");
    expect(session.sessionId).toBe("a");
    expect(bodies(await session.receiveMessages(3))).toEqual([1, 3, 4]);
  });

  test("serves an abandoned message again before the ones behind it", async () => {
    const { client } = await withSessions("cases", ["a", 1], ["a", 2]);
    const session = await client.acceptSession("cases", "a");
    await session.abandonMessage(only(await session.receiveMessages(1)));
    const again = await session.receiveMessages(2);
    expect(again.map(({ body, deliveryCount }) => [body as unknown, deliveryCount])).toEqual([
      [1, 1],
      [2, 0],
    ]);
  });

  test("held by one receiver cannot be locked by another, on any connection", async () => {
    const { bus, client } = await withSessions("cases", ["a", 1]);
    await client.acceptSession("cases", "a");
    const other = bus.connect();
    expect(await codeOf(other.acceptSession("cases", "a"))).toBe("SessionCannotBeLocked");
  });

  test("closed with messages unsettled gives them back in order, uncounted", async () => {
    const { client } = await withSessions("cases", ["a", 1], ["a", 2], ["a", 3]);
    const first = await client.acceptSession("cases", "a");
    await first.receiveMessages(2);
    await first.close();
    const second = await client.acceptSession("cases", "a");
    const again = await second.receiveMessages(3);
    expect(again.map(({ body, deliveryCount }) => [body as unknown, deliveryCount])).toEqual([
      [1, 0],
      [2, 0],
      [3, 0],
    ]);
  });

  test("keeps its state from holder to holder and over a restart", async () => {
    const { bus, client } = await withSessions("cases");
    const session = await client.acceptSession("cases", "a");
    expect(await session.getSessionState()).toBeNull();
    await session.setSessionState({ step: 2 });
    await bus.restart();
    const later = await bus.connect().acceptSession("cases", "a");
    expect(await later.getSessionState()).toEqual({ step: 2 });
    await later.setSessionState(null);
    expect(await later.getSessionState()).toBeNull();
  });

  test("gives a deferred message to its holder", async () => {
    const { client } = await withSessions("cases", ["a", 1], ["b", 2]);
    const session = await client.acceptSession("cases", "a");
    const message = only(await session.receiveMessages(1));
    const number = numberOf(message);
    await session.deferMessage(message);
    const other = await client.acceptSession("cases", "b");
    expect(await codeOf(other.receiveDeferredMessages(number))).toBe("MessageNotFound");
    await session.completeMessage(only(await session.receiveDeferredMessages(number)));
  });
});

describe("the next session", () => {
  test("is the one longest ready that nobody holds", async () => {
    const { client } = await withSessions("cases", ["a", 1], ["b", 2], ["c", 3]);
    await client.acceptSession("cases", "b");
    const accepted = [
      await client.acceptNextSession("cases"),
      await client.acceptNextSession("cases"),
    ];
    expect(accepted.map(({ sessionId }) => sessionId)).toEqual(["a", "c"]);
  });

  test("is waited for, and had as soon as a message comes", async () => {
    const { client, sender } = await withSessions("cases");
    const waiting = client.acceptNextSession("cases");
    await sender.sendMessages({ body: 1, sessionId: "late" });
    const session = await waiting;
    expect(session.sessionId).toBe("late");
    expect(bodies(await session.receiveMessages(1))).toEqual([1]);
  });

  test("that does not come in time is a time-out", async () => {
    const { bus } = await withSessions("cases");
    const startedAtMs = Date.now();
    expect(await codeOf(bus.connect(1000).acceptNextSession("cases"))).toBe("ServiceTimeout");
    expect(Date.now() - startedAtMs).toBeLessThan(3000);
  });

  test("goes to those who wait in turn, each its own", async () => {
    const { client, sender } = await withSessions("cases");
    const waiting = Array.from({ length: 5 }, () => client.acceptNextSession("cases"));
    const sessionIds = ["1", "2", "3", "4", "5"];
    await sender.sendMessages(sessionIds.map((sessionId) => ({ body: 0, sessionId })));
    const accepted = (await Promise.all(waiting)).map(({ sessionId }) => sessionId);
    expect(accepted.toSorted()).toEqual(sessionIds);
  });
});

describe("a session's lock", () => {
  test("that runs out is lost, counts a delivery, and frees the session for another", async () => {
    const { bus, client } = await withSessions("brief", ["a", 1]);
    const first = await client.acceptSession("brief", "a", { maxAutoLockRenewalDurationInMs: 0 });
    const message = only(await first.receiveMessages(1));
    expect(await codeOf(first.receiveMessages(1))).toBe("SessionLockLost");
    const second = await bus.connect().acceptSession("brief", "a");
    expect(only(await second.receiveMessages(1)).deliveryCount).toBe(1);
    expect(await codeOf(first.completeMessage(message))).toBe("SessionLockLost");
    expect(await codeOf(first.renewSessionLock())).toBe("SessionLockLost");
  });

  test("is renewed by the SDK while a handler works", async () => {
    const { client } = await withSessions("brief", ["a", 1]);
    const session = await client.acceptSession("brief", "a");
    const message = only(await session.receiveMessages(1));
    const startedAtMs = Date.now();
    await until("three lock durations pass", () => Date.now() - startedAtMs > 1200);
    await session.completeMessage(message);
    expect(await session.peekMessages(1)).toEqual([]);
  });
});

describe("a holder that dies", () => {
  test("frees its session at once, long before the lock would run out", async () => {
    const { bus } = await withSessions("cases", ["a", 1]);
    const holder = fork(new URL("hold-session.ts", import.meta.url), [bus.connectionString]);
    afterTest(async () => void holder.kill("SIGKILL"));
    await new Promise((resolve) => {
      holder.once("message", resolve);
    });
    const other = bus.connect();
    expect(await codeOf(other.acceptSession("cases", "a"))).toBe("SessionCannotBeLocked");
    const killedAtMs = Date.now();
    holder.kill("SIGKILL");
    const session = await until("the session is free", () =>
      other.acceptSession("cases", "a").catch(() => undefined),
    );
    expect(Date.now() - killedAtMs).toBeLessThan(5000);
    expect(bodies(await session.receiveMessages(1))).toEqual([1]);
  });
});

describe("the dead letters of a session queue", () => {
  test("are read without a session", async () => {
    const { client } = await withSessions("cases", ["a", 1]);
    const session = await client.acceptSession("cases", "a");
    for (let delivery = 0; delivery < 3; delivery += 1) {
      await session.abandonMessage(only(await session.receiveMessages(1)));
    }
    const receiver = client.createReceiver("cases", { subQueueType: "deadLetter" });
    const dead = only(await receiver.receiveMessages(1));
    expect(dead).toMatchObject({ sessionId: "a", deadLetterReason: "MaxDeliveryCountExceeded" });
    await receiver.completeMessage(dead);
  });
});

describe("the list of sessions", () => {
  test("has those with messages or with state, a page at a time", async () => {
    const { bus, client } = await withSessions("cases", ["b", 1], ["a", 2]);
    await (await client.acceptSession("cases", "c")).setSessionState(1);
    const request = await managementRequests(bus.connectionString, "cases");
    const page = async (skip: number, top: number) =>
      (await request("get-message-sessions", { skip, top, "last-updated-time": new Date() })).body;
    expect(await page(0, 2)).toMatchObject({ "sessions-ids": ["a", "b"] });
    expect(await page(2, 2)).toMatchObject({ "sessions-ids": ["c"] });
  });

  test("is all there is: an unknown operation is refused by name", async () => {
    const { bus } = await withSessions("cases");
    const request = await managementRequests(bus.connectionString, "cases");
    expect((await request("make-coffee", {})).properties).toMatchObject({
      statusCode: 501,
      errorCondition: "amqp:not-implemented",
    });
  });
});

describe("a receiver of the wrong kind", () => {
  test("is refused: plain on a session queue, session on a plain queue", async () => {
    const { client } = await withSessions("cases", ["a", 1]);
    expect(await codeOf(client.createReceiver("cases").receiveMessages(1))).toBe("GeneralError");
    expect(await codeOf(client.acceptSession("plain", "a"))).toBe("SessionCannotBeLocked");
  });
});
