// What the receiver of a session may rely on: order, and being alone. Rules from Microsoft Learn: "Message sessions" (its table
// of what raises the delivery count included), "Message transfers, locks, and settlement".
import { fork } from "node:child_process";
import { once } from "node:events";
import { describe, expect, test } from "vitest";
import {
  afterCase,
  bodies,
  BRIEF_SESSIONS,
  codeOf,
  namespace,
  numberOf,
  one,
  PLAIN,
  QUIET_MS,
  SESSIONS,
  times,
  until,
} from "./namespace.ts";

/** Ends at once when as many messages as asked for are there. */
const AMPLE = { maxWaitTimeInMs: 3000 };
const FOR_MORE = { maxWaitTimeInMs: 3 * QUIET_MS };
const UNTIL_LOST = { maxWaitTimeInMs: 4 * times.lockMs };

async function withSessions(queue: string, ...sent: [sessionId: string, body: unknown][]) {
  const bus = await namespace(queue);
  const client = bus.connect();
  const sender = client.createSender(queue);
  for (const [sessionId, body] of sent) await sender.sendMessages({ sessionId, body });
  return { bus, client, sender };
}

const counted = (messages: { body: unknown; deliveryCount?: number }[]) =>
  messages.map(({ body, deliveryCount }) => [body, deliveryCount]);

describe("a session", () => {
  test("delivers its own messages alone, first in first out", async () => {
    const { client } = await withSessions(SESSIONS, ["a", 1], ["b", 2], ["a", 3], ["a", 4]);
    const session = await client.acceptSession(SESSIONS, "a");
    expect(session.sessionId).toBe("a");
    const received = await session.receiveMessages(4, FOR_MORE);
    expect(bodies(received)).toEqual([1, 3, 4]);
  });

  test("serves an abandoned message again before the ones behind it", async () => {
    const { client } = await withSessions(SESSIONS, ["a", 1], ["a", 2]);
    const session = await client.acceptSession(SESSIONS, "a");
    await session.abandonMessage(await one(session.receiveMessages(1)));
    expect(counted(await session.receiveMessages(2, AMPLE))).toEqual([
      [1, 1],
      [2, 0],
    ]);
  });

  test("goes on with the next message once one has used up its deliveries", async () => {
    const { bus, client } = await withSessions(SESSIONS, ["a", 1], ["a", 2]);
    const session = await client.acceptSession(SESSIONS, "a");
    for (let delivery = 0; delivery < 3; delivery += 1) {
      await session.abandonMessage(await one(session.receiveMessages(1)));
    }
    expect((await one(session.receiveMessages(1))).body).toBe(2);
    const [dead] = await bus.deadLetters(SESSIONS);
    expect(dead).toMatchObject({ body: 1, deadLetterReason: "MaxDeliveryCountExceeded" });
  });

  test("is locked for one receiver: another cannot lock it, on any connection", async () => {
    const { bus, client } = await withSessions(SESSIONS, ["a", 1]);
    await client.acceptSession(SESSIONS, "a");
    const other = bus.connect().acceptSession(SESSIONS, "a");
    expect(await codeOf(other)).toBe("SessionCannotBeLocked");
  });

  test("gives messages that arrive later to whoever holds it", async () => {
    const { client, sender } = await withSessions(SESSIONS);
    const session = await client.acceptSession(SESSIONS, "a");
    const waiting = one(session.receiveMessages(1));
    await sender.sendMessages({ sessionId: "a", body: "late" });
    expect((await waiting).body).toBe("late");
  });

  test("delivers what is scheduled for it when the time comes (waits)", async () => {
    const { client, sender } = await withSessions(SESSIONS);
    const at = new Date(Date.now() + times.soonMs);
    await sender.scheduleMessages({ sessionId: "a", body: "later" }, at);
    const session = await client.acceptSession(SESSIONS, "a");
    expect((await one(session.receiveMessages(1))).body).toBe("later");
    expect(Date.now()).toBeGreaterThanOrEqual(at.getTime());
  });

  test("can be read in receive-and-delete mode, in order", async () => {
    const { bus, client } = await withSessions(SESSIONS, ["a", 1], ["a", 2]);
    const session = await client.acceptSession(SESSIONS, "a", { receiveMode: "receiveAndDelete" });
    expect(bodies(await session.receiveMessages(3, FOR_MORE))).toEqual([1, 2]);
    expect(await bus.contents(SESSIONS)).toEqual([]);
  });

  test("shows its own messages alone to a peek", async () => {
    const { client } = await withSessions(SESSIONS, ["a", 1], ["b", 2]);
    const session = await client.acceptSession(SESSIONS, "b");
    expect(bodies(await session.peekMessages(5))).toEqual([2]);
  });
});

describe("the delivery count of a session's messages", () => {
  test("stays when the session is closed with messages unsettled, which come again in order", async () => {
    const { client } = await withSessions(SESSIONS, ["a", 1], ["a", 2], ["a", 3]);
    const first = await client.acceptSession(SESSIONS, "a");
    expect(await first.receiveMessages(2)).toHaveLength(2);
    await first.close();
    const second = await client.acceptSession(SESSIONS, "a");
    expect(counted(await second.receiveMessages(3, AMPLE))).toEqual([
      [1, 0],
      [2, 0],
      [3, 0],
    ]);
  });

  test("stays when the holder's process dies, and the session is free long before its lock ends", async () => {
    const { bus } = await withSessions(SESSIONS, ["a", 1]);
    const script = new URL("hold-session.ts", import.meta.url);
    const holder = fork(script, [bus.connectionString, SESSIONS, "a"]);
    afterCase(async () => void holder.kill("SIGKILL"));
    await once(holder, "message");
    const other = bus.connect();
    expect(await codeOf(other.acceptSession(SESSIONS, "a"))).toBe("SessionCannotBeLocked");
    const killedAtMs = Date.now();
    holder.kill("SIGKILL");
    const session = await until("the session is free", () =>
      other.acceptSession(SESSIONS, "a").catch(() => undefined),
    );
    expect(Date.now() - killedAtMs).toBeLessThan(20_000);
    expect(counted([await one(session.receiveMessages(1))])).toEqual([[1, 0]]);
  });

  test("rises when the session's lock expires (waits)", async () => {
    const { bus, client } = await withSessions(BRIEF_SESSIONS, ["a", 1]);
    const unrenewed = { maxAutoLockRenewalDurationInMs: 0 };
    const first = await client.acceptSession(BRIEF_SESSIONS, "a", unrenewed);
    await one(first.receiveMessages(1));
    expect(await codeOf(first.receiveMessages(1, UNTIL_LOST))).toBe("SessionLockLost");
    const second = await bus.connect().acceptSession(BRIEF_SESSIONS, "a");
    expect(counted([await one(second.receiveMessages(1))])).toEqual([[1, 1]]);
  });
});

describe("the next session", () => {
  test("is one with messages that nobody holds", async () => {
    const { client } = await withSessions(SESSIONS, ["a", 1], ["b", 2], ["c", 3]);
    await client.acceptSession(SESSIONS, "b");
    const accepted = [
      await client.acceptNextSession(SESSIONS),
      await client.acceptNextSession(SESSIONS),
    ];
    expect(accepted.map(({ sessionId }) => sessionId).toSorted()).toEqual(["a", "c"]);
  });

  test("is waited for, and had as soon as a message comes", async () => {
    const { client, sender } = await withSessions(SESSIONS);
    const waiting = client.acceptNextSession(SESSIONS);
    await sender.sendMessages({ body: 1, sessionId: "late" });
    const session = await waiting;
    expect(session.sessionId).toBe("late");
    expect(bodies(await session.receiveMessages(1))).toEqual([1]);
  });

  test("that does not come in time is a time-out", async () => {
    const { bus } = await withSessions(SESSIONS);
    const startedAtMs = Date.now();
    const waiting = bus.connect(1000).acceptNextSession(SESSIONS);
    expect(await codeOf(waiting)).toBe("ServiceTimeout");
    expect(Date.now() - startedAtMs).toBeLessThan(15_000);
  });

  test("goes to those who wait, each its own", async () => {
    const { client, sender } = await withSessions(SESSIONS);
    const waiting = Array.from({ length: 4 }, () => client.acceptNextSession(SESSIONS));
    const sessionIds = ["1", "2", "3", "4"];
    await sender.sendMessages(sessionIds.map((sessionId) => ({ body: 0, sessionId })));
    const accepted = (await Promise.all(waiting)).map(({ sessionId }) => sessionId);
    expect(accepted.toSorted()).toEqual(sessionIds);
  });
});

describe("a session's lock", () => {
  test("that expired settles and renews nothing any more (waits)", async () => {
    const { client } = await withSessions(BRIEF_SESSIONS, ["a", 1]);
    const unrenewed = { maxAutoLockRenewalDurationInMs: 0 };
    const session = await client.acceptSession(BRIEF_SESSIONS, "a", unrenewed);
    const message = await one(session.receiveMessages(1));
    expect(await codeOf(session.receiveMessages(1, UNTIL_LOST))).toBe("SessionLockLost");
    expect(await codeOf(session.completeMessage(message))).toBe("SessionLockLost");
    expect(await codeOf(session.renewSessionLock())).toBe("SessionLockLost");
  });

  test("stands longer when it is renewed (waits)", async () => {
    const { bus, client } = await withSessions(BRIEF_SESSIONS, ["a", 1]);
    const unrenewed = { maxAutoLockRenewalDurationInMs: 0 };
    const session = await client.acceptSession(BRIEF_SESSIONS, "a", unrenewed);
    const message = await one(session.receiveMessages(1));
    const firstUntilMs = session.sessionLockedUntilUtc.getTime();
    await until("the first lock is over", async () => {
      await session.renewSessionLock();
      return Date.now() > firstUntilMs + 100;
    });
    expect(session.sessionLockedUntilUtc.getTime()).toBeGreaterThan(firstUntilMs);
    await session.completeMessage(message);
    expect(await bus.contents(BRIEF_SESSIONS)).toEqual([]);
  });

  test("is renewed by the SDK while a handler works (waits)", async () => {
    const { bus, client } = await withSessions(BRIEF_SESSIONS, ["a", 1]);
    const session = await client.acceptSession(BRIEF_SESSIONS, "a");
    const message = await one(session.receiveMessages(1));
    const startedAtMs = Date.now();
    await until("two lock durations pass", () => Date.now() - startedAtMs > 2 * times.lockMs);
    await session.completeMessage(message);
    expect(await bus.contents(BRIEF_SESSIONS)).toEqual([]);
  });

  test("is released when the receiver is closed, so that another can have the session", async () => {
    const { bus, client } = await withSessions(SESSIONS, ["a", 1]);
    const first = await client.acceptSession(SESSIONS, "a");
    await first.close();
    const second = await bus.connect().acceptSession(SESSIONS, "a");
    expect(second.sessionId).toBe("a");
  });
});

describe("a session's state", () => {
  test("is empty at first, and kept from holder to holder", async () => {
    const { client } = await withSessions(SESSIONS);
    const sessionId = crypto.randomUUID();
    const first = await client.acceptSession(SESSIONS, sessionId);
    expect(await first.getSessionState()).toBeNull();
    await first.setSessionState({ step: 2 });
    await first.close();
    const second = await client.acceptSession(SESSIONS, sessionId);
    expect(await second.getSessionState()).toEqual({ step: 2 });
    await second.setSessionState(null);
  });

  test("can be cleared", async () => {
    const { client } = await withSessions(SESSIONS);
    const session = await client.acceptSession(SESSIONS, crypto.randomUUID());
    await session.setSessionState("something");
    await session.setSessionState(null);
    expect(await session.getSessionState()).toBeNull();
  });

  test("stays when all of the session's messages are gone", async () => {
    const sessionId = crypto.randomUUID();
    const { bus, client } = await withSessions(SESSIONS, [sessionId, 1]);
    const first = await client.acceptSession(SESSIONS, sessionId);
    await first.setSessionState("done");
    await first.completeMessage(await one(first.receiveMessages(1)));
    await first.close();
    expect(await bus.contents(SESSIONS)).toEqual([]);
    const second = await client.acceptSession(SESSIONS, sessionId);
    expect(await second.getSessionState()).toBe("done");
    await second.setSessionState(null);
  });
});

describe("a deferred message of a session", () => {
  test("is received by its number by the session's holder", async () => {
    const { client } = await withSessions(SESSIONS, ["a", 1]);
    const session = await client.acceptSession(SESSIONS, "a");
    const message = await one(session.receiveMessages(1));
    await session.deferMessage(message);
    const deferred = await one(session.receiveDeferredMessages(numberOf(message)));
    expect(deferred.body).toBe(1);
    await session.completeMessage(deferred);
  });

  test("is not given to the holder of another session", async () => {
    const { client } = await withSessions(SESSIONS, ["a", 1], ["b", 2]);
    const session = await client.acceptSession(SESSIONS, "a");
    const message = await one(session.receiveMessages(1));
    await session.deferMessage(message);
    const other = await client.acceptSession(SESSIONS, "b");
    const refused = other.receiveDeferredMessages(numberOf(message));
    expect(await codeOf(refused)).toBe("MessageNotFound");
  });
});

describe("a queue that requires sessions", () => {
  test("has dead letters that are read without a session and keep its id", async () => {
    const { client } = await withSessions(SESSIONS, ["a", 1]);
    const session = await client.acceptSession(SESSIONS, "a");
    await session.deadLetterMessage(await one(session.receiveMessages(1)));
    const dead = client.createReceiver(SESSIONS, { subQueueType: "deadLetter" });
    const message = await one(dead.receiveMessages(1));
    expect(message).toMatchObject({ sessionId: "a", body: 1 });
    await dead.completeMessage(message);
  });

  test("cannot be received from without a session", async () => {
    const { client } = await withSessions(SESSIONS, ["a", 1]);
    const plain = client.createReceiver(SESSIONS).receiveMessages(1);
    expect(await codeOf(plain)).not.toBe("no error");
  });

  test("is another thing than a plain queue, of which no session can be accepted", async () => {
    const client = (await namespace(PLAIN)).connect();
    expect(await codeOf(client.acceptSession(PLAIN, "a"))).not.toBe("no error");
  });
});
