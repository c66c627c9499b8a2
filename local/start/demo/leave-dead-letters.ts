// Dead letters to try the operators' tools on, made as they are made in life: each is delivered until the broker gives it up.
//
//   a hint of a case that is done, and of two whose effect is unknown    handed back ten times by a worker that we play
//   no hint at all, in a case's session and in nobody's                  the app's own worker fails on it, ten times
//
// On kept state none is added while some of earlier starts lie there.
import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { ServiceBusClient } from "@azure/service-bus";
import { z } from "zod";
import { caseApi } from "../run/case-api.ts";
import type { LocalAzure } from "../azure/local-azure.ts";

type Queue = "cases" | "reviews";

interface FailingHint {
  queue: Queue;
  tenantId: string;
  externalRef: string;
}

/** Of the samples of the first run: its cases stay what they are. */
const hints: readonly FailingHint[] = [
  { queue: "cases", tenantId: "acme", externalRef: "INV-20931" },
  { queue: "cases", tenantId: "acme", externalRef: "CRM-349" },
  { queue: "reviews", tenantId: "globex", externalRef: "CRM-345" },
];
const pollMs = 200;
const waitMaxMs = 20_000;

const Counts = z.array(z.object({ name: z.string(), deadLetter: z.int() }));

export async function countDeadLetters({
  serviceBusControlUrl,
}: Pick<LocalAzure, "serviceBusControlUrl">): Promise<Record<string, number>> {
  const response = await fetch(`${serviceBusControlUrl}/queues`);
  const counts = Counts.parse(await response.json());
  return Object.fromEntries(counts.map(({ deadLetter, name }) => [name, deadLetter]));
}

export async function leaveDeadLetters(azure: LocalAzure, signal: AbortSignal): Promise<void> {
  const before = Object.values(await countDeadLetters(azure));
  if (before.some((count) => count > 0)) return;
  const api = caseApi({ url: azure.hostUrl, key: azure.hostKey });
  const client = new ServiceBusClient(azure.serviceBusConnection);
  try {
    let wanted = 0;
    for (const { externalRef, queue, tenantId } of hints) {
      const view = await api.read(tenantId, externalRef);
      if (view === undefined) continue;
      const caseKey = `${tenantId}:${view.case.caseId}`;
      await giveUp(client, queue, caseKey);
      wanted += 1;
      if (wanted === 1) wanted += await sendNoHints(client, caseKey);
    }
    await untilThere(azure, wanted, signal);
  } finally {
    await client.close();
  }
}

/** A worker that takes the session and hands its message back as often as the queue delivers it. */
async function giveUp(client: ServiceBusClient, queue: Queue, caseKey: string): Promise<void> {
  const receiver = await client.acceptSession(queue, caseKey);
  try {
    const hintId = randomUUID();
    await client.createSender(queue).sendMessages({
      sessionId: caseKey,
      messageId: hintId,
      contentType: "application/json",
      body: { caseKey, hintId, reason: "demo" },
    });
    for (;;) {
      const [message] = await receiver.receiveMessages(1, { maxWaitTimeInMs: 1000 });
      if (message === undefined) return;
      await receiver.abandonMessage(message);
    }
  } finally {
    await receiver.close();
  }
}

async function sendNoHints(client: ServiceBusClient, caseKey: string): Promise<number> {
  const bodies = [
    {
      sessionId: caseKey,
      body: { case: "INV-20931", note: "sent by hand, without a hint's fields" },
    },
    { sessionId: "monitoring", body: "ping" },
  ];
  const sender = client.createSender("cases");
  for (const { body, sessionId } of bodies) {
    await sender.sendMessages({ sessionId, messageId: randomUUID(), body });
  }
  return bodies.length;
}

async function untilThere(azure: LocalAzure, wanted: number, signal: AbortSignal): Promise<void> {
  const endMs = performance.now() + waitMaxMs;
  for (;;) {
    const counts = Object.values(await countDeadLetters(azure));
    const there = counts.reduce((sum, count) => sum + count, 0);
    if (there >= wanted || performance.now() > endMs) return;
    await delay(pollMs, undefined, { signal });
  }
}
