// The Service Bus trigger and output. Rules from Microsoft Learn: "Azure Service Bus trigger for Azure Functions", "Azure Service
// Bus output binding", "Binding expressions" (%SETTING%), "host.json settings" of the extension, "How to disable functions".
import type { ServiceBusMessage } from "@azure/service-bus";
import { describe, expect, test } from "vitest";
import { peeker } from "../service-bus/empty-queue.ts";
import { awaited, runningHost } from "./running-host.ts";

const host = await runningHost();
const { fetch, records, serviceBus } = host;

const PLAIN = "conformance-host-plain";
const SESSIONS = "conformance-host-sessions";

type Plain = { body: Record<string, unknown>; metadata: Record<string, unknown> };
type Step = { kind: string; sessionId: string; deliveryCount: number; n: number; run: string };

async function send(queue: string, ...messages: ServiceBusMessage[]): Promise<void> {
  const sender = serviceBus?.createSender(queue);
  await sender?.sendMessages(messages);
  await sender?.close();
}

/** What a queue or its dead letters hold of a run of a case. */
const peek = serviceBus === undefined ? async () => [] : peeker(serviceBus);
async function peeked(queue: string, run: string, subQueueType?: "deadLetter") {
  const found = await peek([queue], subQueueType);
  return found.filter(({ body }) => (body as { run?: string } | undefined)?.run === run);
}

const plainOf = async (run: string) =>
  (await records<Plain>("plain")).filter(({ body }) => body["run"] === run);
const stepsOf = async (run: string) =>
  (await records<Step>("sessions")).filter((step) => step.run === run);
const steps = (run: string, count: number) =>
  awaited(`${count} steps`, async () => {
    const all = await stepsOf(run);
    return all.length >= count && all;
  });

describe.runIf(serviceBus !== undefined)("a queue's function", () => {
  test("is called with the body and the message's metadata", async () => {
    const run = crypto.randomUUID();
    await send(PLAIN, {
      body: { run },
      messageId: `m-${run}`,
      correlationId: `c-${run}`,
      subject: "hello",
      applicationProperties: { team: "acme" },
    });
    const [row] = await awaited("the call", async () => {
      const rows = await plainOf(run);
      return rows.length > 0 && rows;
    });
    expect(row?.metadata).toMatchObject({
      messageId: `m-${run}`,
      correlationId: `c-${run}`,
      subject: "hello",
      deliveryCount: 1,
      applicationProperties: { team: "acme" },
    });
  });

  test("that ends well has its message completed", async () => {
    const run = crypto.randomUUID();
    await send(PLAIN, { body: { run } });
    await awaited("the call", async () => (await plainOf(run)).length === 1);
    await awaited("the end", async () => (await peeked(PLAIN, run)).length === 0);
    expect(await peeked(PLAIN, run, "deadLetter")).toEqual([]);
  });

  test("that throws gets the message again, until its deliveries are used up", async () => {
    const run = crypto.randomUUID();
    await send(PLAIN, { body: { run, fail: true } });
    const dead = await awaited("the dead letter", async () => {
      const letters = await peeked(PLAIN, run, "deadLetter");
      return letters.length > 0 && letters;
    });
    expect(dead.map(({ deadLetterReason }) => deadLetterReason)).toEqual([
      "MaxDeliveryCountExceeded",
    ]);
    const counts = (await plainOf(run)).map(({ metadata }) => metadata["deliveryCount"]);
    expect(counts).toEqual([1, 2]);
  });

  test("gets a JSON body as a value, and a text as text", async () => {
    const run = crypto.randomUUID();
    await send(PLAIN, { body: { run, list: [1] } }, { body: `text ${run}` });
    await awaited("both", async () => {
      const bodies = (await records<Plain>("plain")).map(({ body }) => JSON.stringify(body));
      return bodies.filter((body) => body.includes(run)).length === 2;
    });
    const bodies: unknown[] = (await records<Plain>("plain")).map(({ body }) => body);
    expect(bodies).toContainEqual({ run, list: [1] });
    expect(bodies).toContain(`text ${run}`);
  });

  test("that is disabled leaves its messages in the queue", async () => {
    const [run, other] = [crypto.randomUUID(), crypto.randomUUID()];
    await send("conformance-host-disabled", { body: { run } });
    await send(PLAIN, { body: { run: other } });
    await awaited("another function's call", async () => (await plainOf(other)).length === 1);
    expect(await records("disabled-queue")).toEqual([]);
    expect(await peeked("conformance-host-disabled", run)).toHaveLength(1);
  });

  test("with cardinality many gets arrays of bodies and of metadata", async () => {
    const run = crypto.randomUUID();
    const ids = [`1-${run}`, `2-${run}`];
    await send(
      "conformance-host-many",
      ...ids.map((messageId) => ({ body: messageId, messageId })),
    );
    const rows = await awaited("both", async () => {
      const all = await records<{ bodies: string[]; ids: string[] }>("many");
      const mine = all.filter(({ bodies }) => bodies.some((body) => body.endsWith(run)));
      return mine.flatMap(({ bodies }) => bodies).length === 2 && mine;
    });
    expect(rows.flatMap((row) => row.bodies)).toEqual(ids);
    expect(rows.flatMap((row) => row.ids)).toEqual(ids);
  });
});

describe.runIf(serviceBus !== undefined)("a function of a queue with sessions", () => {
  test("finds its queue by the name of a setting between percent signs", async () => {
    const run = crypto.randomUUID();
    await send(SESSIONS, { sessionId: `s-${run}`, body: { run, n: 1 } });
    const [first] = await steps(run, 2);
    expect(first).toMatchObject({ kind: "began", sessionId: `s-${run}`, deliveryCount: 1 });
  });

  test("gets the messages of a session one at a time and in order", async () => {
    const run = crypto.randomUUID();
    const messages = [1, 2, 3].map((n) => ({ sessionId: `s-${run}`, body: { run, n, ms: 20 } }));
    await send(SESSIONS, ...messages);
    const all = await steps(run, 6);
    expect(all.map(({ kind, n }) => `${kind} ${n}`)).toEqual([
      "began 1",
      "ended 1",
      "began 2",
      "ended 2",
      "began 3",
      "ended 3",
    ]);
  });

  test("works on several sessions at once", async () => {
    const run = crypto.randomUUID();
    const inSession = (n: number) => ({ sessionId: `${n}-${run}`, body: { run, n, ms: 800 } });
    await send(SESSIONS, inSession(1));
    await send(SESSIONS, inSession(2));
    const all = await steps(run, 4);
    expect(all.slice(0, 2).map(({ kind }) => kind)).toEqual(["began", "began"]);
  });

  test("goes to the next session once one has been idle for sessionIdleTimeout (waits)", async () => {
    const run = crypto.randomUUID();
    // More sessions than maxConcurrentSessions: the last ones wait until others are let go.
    for (let n = 0; n < 6; n += 1)
      await send(SESSIONS, { sessionId: `${n}-${run}`, body: { run, n } });
    const all = await steps(run, 12);
    expect(new Set(all.map(({ n }) => n)).size).toBe(6);
  });

  test("that throws gets the same message again before the next", async () => {
    const run = crypto.randomUUID();
    const sessionId = `s-${run}`;
    await send(
      SESSIONS,
      { sessionId, body: { run, n: 1, fail: true } },
      { sessionId, body: { run, n: 2 } },
    );
    const all = await steps(run, 4);
    expect(all.map(({ kind, n, deliveryCount }) => [kind, n, deliveryCount])).toEqual([
      ["began", 1, 1],
      ["began", 1, 2],
      ["began", 2, 1],
      ["ended", 2, 1],
    ]);
  });
});

describe.runIf(serviceBus !== undefined)("an output to a queue", () => {
  test("sends one message for each element of an array", async () => {
    const run = crypto.randomUUID();
    const body = JSON.stringify([1, 2].map((n) => ({ run, n })));
    expect((await fetch("/api/sends", { method: "POST", body })).status).toBe(202);
    await awaited("both", async () => (await plainOf(run)).length === 2);
    const numbers = (await plainOf(run)).map(({ body: sent }) => sent["n"]);
    expect(numbers).toEqual(expect.arrayContaining([1, 2]));
  });
});
