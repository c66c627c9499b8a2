// Topics: every subscription gets its own copy of what it wants. Rules from Microsoft Learn: "Service Bus queues, topics, and
// subscriptions", "Topic filters and actions".
import type { ServiceBusMessage } from "@azure/service-bus";
import { describe, expect, test } from "vitest";
import { bodies, namespace, NEWS, one, times, until } from "./namespace.ts";

const SUBSCRIPTIONS = ["all", "sessions", "invoices", "large"].map((name): [string, string] => [
  NEWS,
  name,
]);

async function published(...messages: ServiceBusMessage[]) {
  const bus = await namespace(...SUBSCRIPTIONS);
  const client = bus.connect();
  const sender = client.createSender(NEWS);
  // The topic detects duplicates by id, and the SDK gives none of its own.
  for (const message of messages) {
    await sender.sendMessages({ messageId: crypto.randomUUID(), sessionId: "s", ...message });
  }
  const found = async (subscription: string) => bodies(await bus.contents(NEWS, subscription));
  return { bus, client, sender, found };
}

describe("a message sent to a topic", () => {
  test("is copied to each subscription", async () => {
    const { found } = await published({ body: 1 }, { body: 2 });
    expect(await found("all")).toEqual([1, 2]);
    expect(await found("sessions")).toEqual([1, 2]);
  });

  test("completed on one subscription stays on the others", async () => {
    const { client, found } = await published({ body: 1 });
    const receiver = client.createReceiver(NEWS, "all");
    await receiver.completeMessage(await one(receiver.receiveMessages(1)));
    expect(await found("all")).toEqual([]);
    expect(await found("sessions")).toEqual([1]);
  });

  test("is ordered by session on a subscription that requires sessions", async () => {
    const { client } = await published(
      { body: 1, sessionId: "a" },
      { body: 2, sessionId: "b" },
      { body: 3, sessionId: "a" },
    );
    const session = await client.acceptSession(NEWS, "sessions", "a");
    const received = await session.receiveMessages(3, { maxWaitTimeInMs: 500 });
    expect(bodies(received)).toEqual([1, 3]);
  });

  test("is accepted and kept nowhere when no filter lets it through", async () => {
    const { found } = await published({ body: 1, subject: "something else" });
    expect(await found("invoices")).toEqual([]);
    expect(await found("large")).toEqual([]);
  });

  test("with an id that the topic has seen is dropped for all subscriptions", async () => {
    const messageId = crypto.randomUUID();
    const { found } = await published({ body: 1, messageId }, { body: 2, messageId });
    expect(await found("all")).toEqual([1]);
    expect(await found("sessions")).toEqual([1]);
  });

  test("at a later time is copied then (waits)", async () => {
    const { found, sender } = await published();
    const at = new Date(Date.now() + times.soonMs);
    const later = { body: "later", sessionId: "s", messageId: crypto.randomUUID() };
    await sender.scheduleMessages(later, at);
    await until(
      "both have it",
      async () => (await found("all")).length > 0 && (await found("sessions")).length > 0,
    );
    expect(Date.now()).toBeGreaterThanOrEqual(at.getTime());
  });
});

describe("a correlation filter", () => {
  test("lets through what matches all of its conditions", async () => {
    const { found } = await published(
      { body: 1, subject: "invoice", correlationId: "acme" },
      { body: 2, subject: "invoice", correlationId: "other" },
      { body: 3, correlationId: "acme" },
    );
    expect(await found("invoices")).toEqual([1]);
  });

  test("compares application properties", async () => {
    const { found } = await published(
      { body: 1, applicationProperties: { kind: "invoice" } },
      { body: 2, applicationProperties: { kind: "INVOICE" } },
    );
    expect(await found("invoices")).toContain(1);
  });

  test("is one of several rules that are joined by or", async () => {
    const { found } = await published(
      { body: 1, applicationProperties: { kind: "invoice" } },
      { body: 2, subject: "invoice", correlationId: "acme" },
    );
    expect(await found("invoices")).toEqual([1, 2]);
  });
});

describe("a SQL filter", () => {
  const invoice = (body: number, applicationProperties: Record<string, string | number>) => ({
    body,
    applicationProperties,
  });

  test("compares numbers and lists", async () => {
    const { found } = await published(
      invoice(1, { amount: 150, country: "DE" }),
      invoice(2, { amount: 99.5, country: "DE" }),
      invoice(3, { amount: 150, country: "US" }),
    );
    expect(await found("large")).toEqual([1]);
  });

  test("knows patterns, and a doubled quote in a text", async () => {
    const { found } = await published(
      invoice(1, { amount: 100, note: "it's urgent" }),
      invoice(2, { amount: 100, note: "its urgent" }),
    );
    expect(await found("large")).toEqual([1]);
  });

  test("is not true of a message that lacks the property", async () => {
    const { found } = await published(invoice(1, { country: "DE" }), { body: 2 });
    expect(await found("large")).toEqual([]);
  });
});

describe("a subscription", () => {
  test("has dead letters of its own", async () => {
    const { bus, client, found } = await published({ body: 1 });
    const receiver = client.createReceiver(NEWS, "all");
    await receiver.deadLetterMessage(await one(receiver.receiveMessages(1)), {
      deadLetterReason: "mine",
      deadLetterErrorDescription: "",
    });
    const [dead] = await bus.deadLetters(NEWS, "all");
    expect(dead?.deadLetterReason).toBe("mine");
    expect(await found("sessions")).toEqual([1]);
  });

  test("counts its own deliveries", async () => {
    const { bus, client } = await published({ body: 1 });
    const receiver = client.createReceiver(NEWS, "all");
    await receiver.abandonMessage(await one(receiver.receiveMessages(1)));
    const [all] = await bus.contents(NEWS, "all");
    const [sessions] = await bus.contents(NEWS, "sessions");
    expect([all?.deliveryCount, sessions?.deliveryCount]).toEqual([1, 0]);
  });
});
