// Hints through the real Service Bus SDK and a local broker with the app's own queues.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import type { ServiceBusClient, ServiceBusReceivedMessage } from "@azure/service-bus";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import entities from "../../infra/entities.json" with { type: "json" };
import { serviceBusControl, type ServiceBusControl } from "../../local/service-bus/faults.ts";
import { startServiceBus, type ServiceBus } from "../../local/service-bus/server.ts";
import { caseKeyText, newWriteId, type CaseKey } from "../../shared/domain/identity.ts";
import { openServiceBus } from "../../shared/stores/connections.ts";
import type { Hint, HintQueue } from "../../shared/stores/ports.ts";
import { serviceBusHints } from "../../shared/stores/service-bus-hints.ts";
import { newCaseKey } from "./documents.ts";

let dataFolder: string;
let broker: ServiceBus;
let control: ServiceBusControl;
let client: ServiceBusClient;
let hints: HintQueue;

beforeAll(async () => {
  dataFolder = await mkdtemp(join(tmpdir(), "stores-service-bus-"));
  broker = await startServiceBus({ dataFolder, entities });
  control = serviceBusControl(broker.controlUrl);
  const { connectionString } = broker;
  client = openServiceBus({ connectionString }, { requestTimeoutMs: 1500 });
  hints = serviceBusHints(client);
});
afterEach(() => control.clearFaults());
afterAll(async () => {
  await client.close();
  await broker.close();
  await rm(dataFolder, { recursive: true, force: true });
});

const hintFor = (key: CaseKey): Hint => ({ ...key, hintId: newWriteId(), reason: "event" });

/** All that the case's session holds now. */
async function received(queue: string, key: CaseKey): Promise<ServiceBusReceivedMessage[]> {
  const receiver = await client.acceptSession(queue, caseKeyText(key));
  const messages = await receiver.receiveMessages(10, { maxWaitTimeInMs: 500 });
  for (const message of messages) await receiver.completeMessage(message);
  await receiver.close();
  return messages;
}

describe("a hint", () => {
  test("is one JSON message in the session of its case, named by its id", async () => {
    const key = newCaseKey();
    const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    const hint = { ...hintFor(key), traceparent };
    await hints.send("cases", hint);
    const [message, ...others] = await received("cases", key);
    expect(others).toEqual([]);
    expect(message).toMatchObject({
      sessionId: caseKeyText(key),
      messageId: hint.hintId,
      contentType: "application/json",
      applicationProperties: { "Diagnostic-Id": traceparent },
    });
    expect(message?.body).toEqual({
      caseKey: caseKeyText(key),
      hintId: hint.hintId,
      reason: "event",
      traceparent,
    });
  });

  test("goes to the queue it was sent to", async () => {
    const key = newCaseKey();
    await hints.send("reviews", hintFor(key));
    await hints.send("cases", hintFor(key));
    expect(await received("reviews", key)).toHaveLength(1);
    expect(await received("cases", key)).toHaveLength(1);
  });

  test("sent twice under one id arrives once, also if it was scheduled before", async () => {
    const key = newCaseKey();
    const [now, later] = [hintFor(key), hintFor(key)];
    await hints.send("cases", now);
    await hints.send("cases", now);
    await hints.schedule("cases", later, Date.now() + 3_600_000);
    await hints.send("cases", later);
    expect((await received("cases", key)).map(({ messageId }) => messageId)).toEqual([now.hintId]);
  });

  test("that is scheduled is there from its time on, and not before", async () => {
    const key = newCaseKey();
    const atMs = Date.now() + 700;
    await hints.schedule("cases", hintFor(key), atMs);
    const receiver = await client.acceptSession("cases", caseKeyText(key));
    const [message] = await receiver.receiveMessages(1, { maxWaitTimeInMs: 10_000 });
    expect(Date.now()).toBeGreaterThanOrEqual(atMs);
    expect(message?.body).toMatchObject({ caseKey: caseKeyText(key) });
    await receiver.close();
  });

  test("that is taken back before its time never comes; taken back too late it has come, and that is no fault", async () => {
    const key = newCaseKey();
    const [soon, late] = [hintFor(key), hintFor(key)];
    const scheduled = await hints.schedule("cases", soon, Date.now() + 700);
    await scheduled.cancel();
    const there = await hints.schedule("cases", late, Date.now() + 700);
    const receiver = await client.acceptSession("cases", caseKeyText(key));
    const messages = await receiver.receiveMessages(2, { maxWaitTimeInMs: 10_000 });
    expect(messages.map(({ messageId }) => messageId)).toEqual([late.hintId]);
    await there.cancel();
    for (const message of messages) await receiver.completeMessage(message);
    await receiver.close();
  });

  test("for a time that has passed is there at once", async () => {
    const key = newCaseKey();
    await hints.schedule("cases", hintFor(key), Date.now() - 60_000);
    expect(await received("cases", key)).toHaveLength(1);
  });

  test("whose connection was cut after it was taken arrives once", async () => {
    const key = newCaseKey();
    await control.plan({ match: { operation: "send" }, fault: "dropAfterCommit", times: 1 });
    await hints.send("cases", hintFor(key));
    expect(await received("cases", key)).toHaveLength(1);
  });

  test("that nobody takes is a fault to try again, and holds no key", async () => {
    const gone = openServiceBus({
      connectionString:
        "Endpoint=sb://127.0.0.1:9;SharedAccessKeyName=local;SharedAccessKey=s3cret;UseDevelopmentEmulator=true;",
    });
    const hint = hintFor(newCaseKey());
    const fault: unknown = await serviceBusHints(gone)
      .send("cases", hint)
      .catch((error: unknown) => error);
    expect(fault).toMatchObject({ name: "TransientFault", ids: { hintId: hint.hintId } });
    expect(inspect(fault, { depth: Infinity, showHidden: true })).not.toContain("s3cret");
    await gone.close();
  });
});

describe("a broker that is only just starting", () => {
  test("gets the hint that was sent before it listened", async () => {
    const folder = await mkdtemp(join(tmpdir(), "stores-service-bus-late-"));
    const first = await startServiceBus({ dataFolder: folder, entities });
    await first.close();
    const lateClient = openServiceBus({ connectionString: first.connectionString });
    const key = newCaseKey();
    const sent = serviceBusHints(lateClient).send("cases", hintFor(key));
    const late = await startServiceBus({ dataFolder: folder, entities, port: first.port });
    await sent;
    const [queue] = await serviceBusControl(late.controlUrl).queues();
    expect(queue).toMatchObject({ name: "cases" });
    const log = await serviceBusControl(late.controlUrl).log();
    expect(log.some(({ sessionId }) => sessionId === caseKeyText(key))).toBe(true);
    await lateClient.close();
    await late.close();
    await rm(folder, { recursive: true, force: true });
  });
});
