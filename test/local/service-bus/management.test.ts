// What the broker answers where Azure says nothing definite, or the SDK cannot ask.
import { describe, expect, test } from "vitest";
import { managementRequests } from "./raw-client.ts";
import { bodies, codeOf, only, serviceBus } from "./with-service-bus.ts";

const entities = {
  queues: [
    { name: "cases", requiresSession: true },
    { name: "plain" },
    { name: "once", requiresDuplicateDetection: true },
  ],
  topics: [{ name: "news", subscriptions: [{ name: "sessions", requiresSession: true }] }],
};

async function withSessions(...sent: [sessionId: string, body: unknown][]) {
  const bus = await serviceBus(entities);
  const client = bus.connect();
  const sender = client.createSender("cases");
  for (const [sessionId, body] of sent) await sender.sendMessages({ sessionId, body });
  return { bus, client };
}

describe("the list of sessions", () => {
  test("has those with messages or with state, a page at a time", async () => {
    const { bus, client } = await withSessions(["b", 1], ["a", 2]);
    await (await client.acceptSession("cases", "c")).setSessionState(1);
    const request = await managementRequests(bus.connectionString, "cases");
    const page = async (skip: number, top: number) =>
      (await request("get-message-sessions", { skip, top, "last-updated-time": new Date() })).body;
    expect(await page(0, 2)).toMatchObject({ "sessions-ids": ["a", "b"] });
    expect(await page(2, 2)).toMatchObject({ "sessions-ids": ["c"] });
  });

  test("is all there is: an unknown operation is refused by name", async () => {
    const { bus } = await withSessions();
    const request = await managementRequests(bus.connectionString, "cases");
    expect((await request("make-coffee", {})).properties).toMatchObject({
      statusCode: 501,
      errorCondition: "amqp:not-implemented",
    });
  });
});

describe("a refusal", () => {
  test("says which kind of receiver is wrong, and which send", async () => {
    const { client } = await withSessions(["a", 1]);
    expect(await codeOf(client.createReceiver("cases").receiveMessages(1))).toBe("GeneralError");
    expect(await codeOf(client.acceptSession("plain", "a"))).toBe("SessionCannotBeLocked");
    const sender = client.createSender("cases");
    expect(await codeOf(sender.sendMessages({ body: 1 }))).toBe("GeneralError");
  });

  test("meets the dead-lettering of a dead letter", async () => {
    const client = (await serviceBus(entities)).connect();
    await client.createSender("plain").sendMessages({ body: 1 });
    const receiver = client.createReceiver("plain");
    await receiver.deadLetterMessage(only(await receiver.receiveMessages(1)));
    const dead = client.createReceiver("plain", { subQueueType: "deadLetter" });
    const message = only(await dead.receiveMessages(1));
    expect(await codeOf(dead.deadLetterMessage(message))).toBe("GeneralError");
  });
});

describe("a duplicate that is scheduled", () => {
  test("has the number of the first, so that it can be cancelled", async () => {
    const sender = (await serviceBus(entities)).connect().createSender("once");
    const later = new Date(Date.now() + 60_000);
    const [first] = await sender.scheduleMessages({ body: 1, messageId: "a" }, later);
    const [second] = await sender.scheduleMessages({ body: 1, messageId: "a" }, later);
    expect(second?.toString()).toBe(first?.toString());
  });
});

describe("a message without a session", () => {
  test("goes to the dead letters of a subscription that requires one", async () => {
    const client = (await serviceBus(entities)).connect();
    await client.createSender("news").sendMessages({ body: 1 });
    const dead = client.createReceiver("news", "sessions", { subQueueType: "deadLetter" });
    const messages = await dead.receiveMessages(1);
    expect(only(messages).deadLetterReason).toBe("Session ID is null");
    expect(bodies(messages)).toEqual([1]);
  });
});
