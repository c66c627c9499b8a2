// Many workers, short locks and faults drawn at random: whatever happens to a worker, a session is
// with one of them at a time, its messages come in order, and none is lost.

import { ServiceBusClient, type ServiceBusSessionReceiver } from "@azure/service-bus";
import { describe, expect, test } from "vitest";

import type { MessageEvent } from "../../../local/service-bus/faults.ts";
import { afterTest, serviceBus, until } from "./with-service-bus.ts";

const SESSIONS = 12;
const MESSAGES_EACH = 15;
const WORKERS = 6;
const SEED = Number(process.env["SEED"] ?? Date.now() % 100_000);

describe(`workers under faults, seed ${SEED}`, { timeout: 60_000 }, () => {
  test("see every session in order, and lose nothing", async () => {
    const bus = await serviceBus({
      queues: [
        { name: "cases", requiresSession: true, lockDuration: "PT1S", maxDeliveryCount: 1000 },
      ],
    });
    const sender = bus.connect().createSender("cases");
    const names = Array.from({ length: SESSIONS }, (_, index) => `s${index}`);
    for (let n = 0; n < MESSAGES_EACH; n += 1) {
      await sender.sendMessages(
        names.map((sessionId) => ({ body: n, sessionId, messageId: `${sessionId}-${n}` })),
      );
    }
    await bus.control.plan(
      { match: { operation: "receive" }, fault: "dropBefore", probability: 0.02, seed: SEED },
      {
        match: { operation: "receive" },
        fault: "dropAfterCommit",
        probability: 0.02,
        seed: SEED + 1,
      },
      {
        match: { operation: "receive" },
        fault: "loseSessionLock",
        probability: 0.05,
        seed: SEED + 2,
      },
      {
        match: { operation: "receive" },
        fault: "delay",
        delayMs: 30,
        probability: 0.1,
        seed: SEED + 3,
      },
      {
        match: { operation: "complete" },
        fault: "loseSessionLock",
        probability: 0.05,
        seed: SEED + 4,
      },
      { match: { operation: "complete" }, fault: "serverBusy", probability: 0.05, seed: SEED + 5 },
      {
        match: { operation: "complete" },
        fault: "redeliverCompleted",
        probability: 0.05,
        seed: SEED + 6,
      },
    );

    const state = { stopped: false };
    for (let worker = 0; worker < WORKERS; worker += 1) {
      const client = new ServiceBusClient(bus.connectionString, {
        retryOptions: { maxRetries: 0, timeoutInMs: 300 },
      });
      // Neither is waited for: on a cut connection the SDK may take ten seconds to give up.
      afterTest(async () => void client.close());
      void work(client, state);
    }
    await until("all messages are completed", async () => {
      const [counts] = await bus.control.queues();
      return counts?.active === 0;
    });
    state.stopped = true;

    const events = await bus.control.log();
    for (const sessionId of names) {
      const ofSession = events.filter((event) => event.sessionId === sessionId);
      const expected = Array.from({ length: MESSAGES_EACH }, (_, n) => `${sessionId}-${n}`);
      expect(firstOfEach(ofSession, "delivered")).toEqual(expected);
      expect(firstOfEach(ofSession, "completed")).toEqual(expected);
      expect(holdersAtOnceMax(ofSession)).toBe(1);
    }
  });
});

async function work(client: ServiceBusClient, state: { stopped: boolean }): Promise<void> {
  while (!state.stopped) {
    // Any error here is a fault that was planned; the messages tell whether it did harm.
    const session = await client.acceptNextSession("cases").catch(() => undefined);
    if (session !== undefined) await workOff(session).catch(() => {});
    await session?.close().catch(() => {});
  }
}

async function workOff(session: ServiceBusSessionReceiver): Promise<void> {
  for (;;) {
    const [message] = await session.receiveMessages(1, { maxWaitTimeInMs: 50 });
    if (message === undefined) return;
    await session.completeMessage(message);
  }
}

function firstOfEach(events: MessageEvent[], kind: MessageEvent["kind"]): string[] {
  const ids = events.filter((event) => event.kind === kind).map(({ messageId = "" }) => messageId);
  return [...new Set(ids)];
}

function holdersAtOnceMax(events: MessageEvent[]): number {
  let holders = 0;
  let max = 0;
  for (const { kind } of events) {
    if (kind === "sessionLocked") holders += 1;
    if (kind === "sessionReleased" || kind === "sessionLockLost") holders -= 1;
    max = Math.max(max, holders);
  }
  return max;
}
