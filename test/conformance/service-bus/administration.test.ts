// What the administration client makes, shows, changes and deletes, and what it counts.
//
// Each case makes entities of its own and deletes them afterwards. Aimed elsewhere it needs the right to manage the namespace;
// Microsoft's emulator answers this client at another address, so the cases are skipped there.
import { randomUUID } from "node:crypto";
import type { ServiceBusAdministrationClient } from "@azure/service-bus";
import { describe, expect, test } from "vitest";
import { afterCase, aimedAt, bodies, codeOf, namespace, one, until } from "./namespace.ts";

const isEmulator = /UseDevelopmentEmulator=true/i.test(aimedAt ?? "");
const TTL_FOR_EVER = "P10675199DT2H48M5.4775807S";

/** A name of its own, deleted after the case whatever it is by then. */
function fresh(admin: ServiceBusAdministrationClient, kind: "Queue" | "Topic" = "Queue"): string {
  const name = `conformance-made-${randomUUID()}`;
  afterCase(async () => {
    if (await admin[`${kind.toLowerCase() as "queue" | "topic"}Exists`](name))
      await admin[`delete${kind}`](name);
  });
  return name;
}

async function situation() {
  const bus = await namespace();
  const admin = bus.administer();
  return { bus, admin, name: fresh(admin) };
}

async function statusOf(attempt: Promise<unknown>): Promise<unknown> {
  return attempt.then(
    () => "no error",
    (error: { statusCode?: unknown }) => error.statusCode,
  );
}

describe.skipIf(isEmulator)("a queue that is made at run time", () => {
  test("without settings has the service's defaults", async () => {
    const { admin, name } = await situation();
    await admin.createQueue(name);
    expect(await admin.getQueue(name)).toMatchObject({
      name,
      lockDuration: "PT1M",
      maxDeliveryCount: 10,
      requiresSession: false,
      requiresDuplicateDetection: false,
      duplicateDetectionHistoryTimeWindow: "PT10M",
      defaultMessageTimeToLive: TTL_FOR_EVER,
      deadLetteringOnMessageExpiration: false,
      enablePartitioning: false,
      status: "Active",
      availabilityStatus: "Available",
    });
  });

  test("shows the settings it was made with", async () => {
    const { admin, name } = await situation();
    const settings = {
      lockDuration: "PT1M30S",
      maxDeliveryCount: 4,
      requiresSession: true,
      requiresDuplicateDetection: true,
      duplicateDetectionHistoryTimeWindow: "PT20M",
      defaultMessageTimeToLive: "P1DT2H",
      deadLetteringOnMessageExpiration: true,
      userMetadata: `<made> & "kept", 'as given'`,
    };
    expect(await admin.createQueue(name, settings)).toMatchObject(settings);
    expect(await admin.getQueue(name)).toMatchObject({ name, ...settings });
  });

  test("takes messages and gives them out at once", async () => {
    const { bus, admin, name } = await situation();
    await admin.createQueue(name);
    const client = bus.connect();
    await client.createSender(name).sendMessages({ body: "first" });
    const receiver = client.createReceiver(name);
    await receiver.completeMessage(await one(receiver.receiveMessages(1)));
    expect(await bus.contents(name)).toEqual([]);
  });

  test("with sessions serves them one by one, and takes no message without one", async () => {
    const { bus, admin, name } = await situation();
    await admin.createQueue(name, { requiresSession: true });
    const client = bus.connect();
    const sender = client.createSender(name);
    expect(await codeOf(sender.sendMessages({ body: "stray" }))).not.toBe("no error");
    for (const sessionId of ["a", "b", "a"])
      await sender.sendMessages({ sessionId, body: sessionId });
    const session = await client.acceptSession(name, "a");
    expect(bodies(await session.receiveMessages(2))).toEqual(["a", "a"]);
    expect(await codeOf(client.acceptSession(name, "a"))).toBe("SessionCannotBeLocked");
  });

  test("with duplicate detection drops the second message of one id", async () => {
    const { bus, admin, name } = await situation();
    await admin.createQueue(name, { requiresDuplicateDetection: true });
    const sender = bus.connect().createSender(name);
    for (const body of ["first", "second"]) await sender.sendMessages({ messageId: "one", body });
    expect(bodies(await bus.contents(name))).toEqual(["first"]);
  });

  test("is refused where the name is taken, and the one that is there is left alone", async () => {
    const { admin, name } = await situation();
    await admin.createQueue(name, { maxDeliveryCount: 7 });
    expect(await codeOf(admin.createQueue(name))).toBe("MessageEntityAlreadyExistsError");
    expect((await admin.getQueue(name)).maxDeliveryCount).toBe(7);
  });

  test("is refused with a lock of more than five minutes, and is not there", async () => {
    const { admin, name } = await situation();
    expect(await statusOf(admin.createQueue(name, { lockDuration: "PT6M" }))).toBe(400);
    expect(await admin.queueExists(name)).toBe(false);
  });
});

describe.skipIf(isEmulator)("an update of a queue", () => {
  test("holds for the messages that come: the maximum of deliveries", async () => {
    const { bus, admin, name } = await situation();
    const made = await admin.createQueue(name, { maxDeliveryCount: 5 });
    await admin.updateQueue({ ...made, maxDeliveryCount: 1 });
    const client = bus.connect();
    await client.createSender(name).sendMessages({ body: "poison" });
    const receiver = client.createReceiver(name);
    await receiver.abandonMessage(await one(receiver.receiveMessages(1)));
    expect(await until("a dead letter", async () => (await bus.deadLetters(name))[0]?.body)).toBe(
      "poison",
    );
  });

  test("replaces the whole description: what it leaves out is at its default again", async () => {
    const { admin, name } = await situation();
    const made = await admin.createQueue(name, { lockDuration: "PT2M", maxDeliveryCount: 5 });
    const { lockDuration: _, ...rest } = made;
    await admin.updateQueue({ ...rest, maxDeliveryCount: 6 } as typeof made);
    expect(await admin.getQueue(name)).toMatchObject({ lockDuration: "PT1M", maxDeliveryCount: 6 });
  });

  test("cannot turn sessions or duplicate detection on", async () => {
    const { admin, name } = await situation();
    const made = await admin.createQueue(name);
    expect(await statusOf(admin.updateQueue({ ...made, requiresSession: true }))).toBe(400);
    const detecting = { ...made, requiresDuplicateDetection: true };
    expect(await statusOf(admin.updateQueue(detecting))).toBe(400);
    expect(await admin.getQueue(name)).toMatchObject({
      requiresSession: false,
      requiresDuplicateDetection: false,
    });
  });

  test("that was never made finds none", async () => {
    const { admin, name } = await situation();
    const elsewhere = await admin.createQueue(fresh(admin));
    expect(await codeOf(admin.updateQueue({ ...elsewhere, name }))).toBe(
      "MessageEntityNotFoundError",
    );
  });
});

describe.skipIf(isEmulator)("a queue that is deleted", () => {
  test("is not there any more, for either client", async () => {
    const { bus, admin, name } = await situation();
    await admin.createQueue(name);
    await admin.deleteQueue(name);
    expect(await admin.queueExists(name)).toBe(false);
    expect(await codeOf(admin.getQueue(name))).toBe("MessageEntityNotFoundError");
    expect(await codeOf(admin.deleteQueue(name))).toBe("MessageEntityNotFoundError");
    const sender = bus.connect().createSender(name);
    expect(await codeOf(sender.sendMessages({ body: "late" }))).toBe("MessagingEntityNotFound");
  });

  test("takes its messages with it: one of the same name begins empty", async () => {
    const { bus, admin, name } = await situation();
    await admin.createQueue(name);
    await bus.connect().createSender(name).sendMessages({ body: "old" });
    await admin.deleteQueue(name);
    await until("the name is free", async () => (await statusOf(admin.createQueue(name))) !== 409);
    expect(await bus.contents(name)).toEqual([]);
    await bus.connect().createSender(name).sendMessages({ body: "new" });
    expect(bodies(await bus.contents(name))).toEqual(["new"]);
  });

  test("fails a sender that was already attached", async () => {
    const { bus, admin, name } = await situation();
    await admin.createQueue(name);
    const sender = bus.connect().createSender(name);
    await sender.sendMessages({ body: "in time" });
    await admin.deleteQueue(name);
    await until("the sender is refused", async () => {
      return (await codeOf(sender.sendMessages({ body: "late" }))) === "MessagingEntityNotFound";
    });
    expect(await admin.queueExists(name)).toBe(false);
  });
});

describe.skipIf(isEmulator)("the runtime properties", () => {
  test("count active, scheduled and dead-lettered messages apart, and all of them together", async () => {
    const { bus, admin, name } = await situation();
    await admin.createQueue(name);
    const client = bus.connect();
    const sender = client.createSender(name);
    await sender.sendMessages(["dead", "deferred", "locked", "ready"].map((body) => ({ body })));
    await sender.scheduleMessages({ body: "later" }, new Date(Date.now() + 3_600_000));
    const receiver = client.createReceiver(name, { maxAutoLockRenewalDurationInMs: 0 });
    await receiver.deadLetterMessage(await one(receiver.receiveMessages(1)));
    await receiver.deferMessage(await one(receiver.receiveMessages(1)));
    await one(receiver.receiveMessages(1));
    const counts = await until("the counts", async () => {
      const found = await admin.getQueueRuntimeProperties(name);
      return found.totalMessageCount === 5 && found.deadLetterMessageCount === 1 && found;
    });
    expect(counts).toMatchObject({
      activeMessageCount: 3,
      scheduledMessageCount: 1,
      deadLetterMessageCount: 1,
      transferMessageCount: 0,
      transferDeadLetterMessageCount: 0,
    });
  });

  test("tell how much is in it, and come back to nothing when it is empty", async () => {
    const { bus, admin, name } = await situation();
    await admin.createQueue(name);
    const client = bus.connect();
    await client.createSender(name).sendMessages({ body: "x".repeat(10_000) });
    const bytesOf = async () => (await admin.getQueueRuntimeProperties(name)).sizeInBytes ?? 0;
    await until("the size", async () => (await bytesOf()) >= 10_000);
    const receiver = client.createReceiver(name, { receiveMode: "receiveAndDelete" });
    await one(receiver.receiveMessages(1));
    await until("nothing is left", async () => (await bytesOf()) === 0);
    expect((await admin.getQueueRuntimeProperties(name)).totalMessageCount).toBe(0);
  });

  test("tell when it was made, changed and used", async () => {
    const { bus, admin, name } = await situation();
    const made = await admin.createQueue(name);
    const first = await admin.getQueueRuntimeProperties(name);
    expect(first.accessedAt.getUTCFullYear()).toBe(1);
    await admin.updateQueue({ ...made, maxDeliveryCount: 3 });
    await bus.connect().createSender(name).sendMessages({ body: "used" });
    const then = await until("it was used", async () => {
      const found = await admin.getQueueRuntimeProperties(name);
      return found.accessedAt.getUTCFullYear() > 1 && found;
    });
    expect(then.createdAt).toEqual(first.createdAt);
    expect(then.modifiedAt.getTime()).toBeGreaterThan(first.modifiedAt.getTime());
    expect(then.accessedAt.getTime()).toBeGreaterThanOrEqual(first.createdAt.getTime());
  });
});

describe.skipIf(isEmulator)("the list of queues", () => {
  test("comes in pages, and each queue is on one of them", async () => {
    const { admin } = await situation();
    const names = [fresh(admin), fresh(admin), fresh(admin)];
    for (const name of names) await admin.createQueue(name);
    const found: string[] = [];
    for await (const page of admin.listQueues().byPage({ maxPageSize: 2 })) {
      expect(page.length).toBeLessThanOrEqual(2);
      found.push(...page.map(({ name }) => name));
    }
    expect(found.filter((name) => names.includes(name)).toSorted()).toEqual(names.toSorted());
    expect(new Set(found).size).toBe(found.length);
  });
});

describe.skipIf(isEmulator)("a topic that is made at run time", () => {
  test("copies to the subscriptions that were made for it", async () => {
    const { bus, admin } = await situation();
    const topic = fresh(admin, "Topic");
    await admin.createTopic(topic);
    await admin.createSubscription(topic, "all", { maxDeliveryCount: 3 });
    await admin.createSubscription(topic, "urgent", {
      defaultRuleOptions: { name: "urgent", filter: { subject: "urgent" } },
    });
    const sender = bus.connect().createSender(topic);
    await sender.sendMessages([{ body: 1 }, { body: 2, subject: "urgent" }]);
    expect(bodies(await bus.contents(topic, "all"))).toEqual([1, 2]);
    expect(bodies(await bus.contents(topic, "urgent"))).toEqual([2]);
    expect(await admin.getSubscription(topic, "all")).toMatchObject({
      topicName: topic,
      subscriptionName: "all",
      maxDeliveryCount: 3,
    });
    const counts = await until("the counts", async () => {
      const found = await admin.getSubscriptionRuntimeProperties(topic, "all");
      return found.activeMessageCount === 2 && found;
    });
    expect(counts.totalMessageCount).toBe(2);
    expect((await admin.getTopicRuntimeProperties(topic)).subscriptionCount).toBe(2);
  });

  test("shows its subscriptions, and loses each that is deleted", async () => {
    const { admin } = await situation();
    const topic = fresh(admin, "Topic");
    await admin.createTopic(topic, { requiresDuplicateDetection: true });
    expect((await admin.getTopic(topic)).requiresDuplicateDetection).toBe(true);
    for (const name of ["one", "two"]) await admin.createSubscription(topic, name);
    const names = async () => {
      const found: string[] = [];
      for await (const { subscriptionName } of admin.listSubscriptions(topic))
        found.push(subscriptionName);
      return found;
    };
    expect(await names()).toEqual(["one", "two"]);
    await admin.deleteSubscription(topic, "one");
    expect(await names()).toEqual(["two"]);
    expect(await admin.subscriptionExists(topic, "one")).toBe(false);
    await admin.deleteTopic(topic);
    expect(await codeOf(admin.getSubscription(topic, "two"))).toBe("MessageEntityNotFoundError");
  });
});

describe.skipIf(isEmulator)("the namespace", () => {
  test("tells its tier", async () => {
    const { admin } = await situation();
    expect(["Standard", "Premium"]).toContain((await admin.getNamespaceProperties()).messagingSku);
  });
});
