// Topics: every subscription gets its own copy of what it wants.

import { describe, expect, test } from "vitest";

import { parseSqlFilter } from "../../../local/service-bus/broker/topics/sql-filter.ts";
import { bodies, only, serviceBus, until } from "./with-service-bus.ts";

const entities = {
  topics: [
    {
      name: "news",
      requiresDuplicateDetection: true,
      subscriptions: [
        { name: "all" },
        { name: "sessions", requiresSession: true },
        {
          name: "invoices",
          rules: [
            { name: "by-subject", correlationFilter: { subject: "invoice" } },
            { name: "by-property", correlationFilter: { properties: { kind: "invoice" } } },
          ],
        },
        { name: "large", rules: [{ name: "amount", sqlFilter: "amount >= 100 AND NOT test" }] },
      ],
    },
  ],
};

describe("a message sent to a topic", () => {
  test("reaches each subscription that wants it, once", async () => {
    const client = (await serviceBus(entities)).connect();
    const sender = client.createSender("news");
    const application = { amount: 150, test: false };
    await sender.sendMessages([
      { body: 1, messageId: "1", sessionId: "s", applicationProperties: application },
      { body: 2, messageId: "2", sessionId: "s", subject: "invoice" },
      { body: 3, messageId: "3", sessionId: "s", applicationProperties: { kind: "invoice" } },
      {
        body: 4,
        messageId: "4",
        sessionId: "s",
        applicationProperties: { amount: 150, test: true },
      },
      { body: 3, messageId: "3", sessionId: "s" },
    ]);
    const received = async (subscription: string) => {
      const receiver = client.createReceiver("news", subscription);
      return bodies(await receiver.receiveMessages(9, { maxWaitTimeInMs: 200 }));
    };
    expect(await received("all")).toEqual([1, 2, 3, 4]);
    expect(await received("invoices")).toEqual([2, 3]);
    expect(await received("large")).toEqual([1]);
    const session = await client.acceptSession("news", "sessions", "s");
    expect(bodies(await session.receiveMessages(4))).toEqual([1, 2, 3, 4]);
  });

  test("completed on one subscription stays on the others", async () => {
    const client = (await serviceBus(entities)).connect();
    await client.createSender("news").sendMessages({ body: 1, subject: "invoice", sessionId: "s" });
    const first = client.createReceiver("news", "all");
    await first.completeMessage(only(await first.receiveMessages(1)));
    const second = client.createReceiver("news", "invoices");
    expect(bodies(await second.receiveMessages(1))).toEqual([1]);
  });

  test("without a session goes to the dead letters of a subscription that requires one", async () => {
    const client = (await serviceBus(entities)).connect();
    await client.createSender("news").sendMessages({ body: 1 });
    const dead = client.createReceiver("news", "sessions", { subQueueType: "deadLetter" });
    expect(only(await dead.receiveMessages(1)).deadLetterReason).toBe("Session ID is null");
  });

  test("at a later time is copied then, also after a restart, unless it was cancelled", async () => {
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

describe("a SQL filter", () => {
  const view = {
    system: { label: "invoice", messageId: "m" },
    application: new Map<string, unknown>([
      ["amount", 100],
      ["country", "DE"],
      ["note", "it's 100% ok"],
      ["urgent", true],
    ]),
  };

  test.each([
    ["amount = 100", true],
    ["amount <> 100", false],
    ["amount > 99.5 AND country = 'DE'", true],
    ["amount < 0 OR country = 'DE' AND urgent", true],
    ["(amount < 0 OR country = 'DE') AND NOT urgent", false],
    ["amount > -1", true],
    ["country IN ('FR', 'DE')", true],
    ["country NOT IN ('FR', 'DE')", false],
    ["note LIKE 'it''s%'", true],
    ["note NOT LIKE '%bad%'", true],
    ["sys.Label = 'invoice'", true],
    ["user.amount = 100", true],
    ["missing IS NULL AND amount IS NOT NULL", true],
    ["EXISTS(amount) AND NOT EXISTS(missing)", true],
    ["missing = 1", false],
    ["NOT (missing = 1)", false],
    ["missing = 1 OR amount = 100", true],
    ["amount = '100'", false],
  ])("%s is %s", (text, passes) => {
    expect(parseSqlFilter(text)(view)).toBe(passes);
  });

  test.each(["amount =", "amount + 1 = 2", "amount = 1 country", "= 1"])(
    "%s is refused",
    (text) => {
      expect(() => parseSqlFilter(text)).toThrow(/./);
    },
  );
});
