// Dead letters by the command line, against the built app and a real broker's protocol: what the ledger says of each, a drain that is
// interrupted, killed and run again, and what is left in the end.
import { spawn, type ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { join } from "node:path";
import { ServiceBusClient, type ServiceBusReceivedMessage } from "@azure/service-bus";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { run } from "../../ops/cli/run.ts";
import { quietTerminal } from "../ops/quiet-terminal.ts";
import { isDone, openLocalWorld, waitUntil, type LocalWorld } from "./local-world.ts";

const email = "email.send_notification.v1";
const program = join(import.meta.dirname, "../../ops/cli/main.ts");
/** More than two pages of a drain. */
const manyCount = 230;

const personas = [
  { id: "rita", name: "Rita Reader", roles: ["reader"] },
  { id: "olga", name: "Olga Operator", roles: ["operator"] },
  { id: "otto", name: "Otto Operator", roles: ["operator@acme"] },
];

let world: LocalWorld;
let client: ServiceBusClient;
let done = "";
let unknown = "";
beforeAll(async () => {
  world = await openLocalWorld({ personas });
  client = new ServiceBusClient(world.serviceBusConnection);
  await world.post(world.raised("INV-D1"));
  done = `acme:${(await world.until("INV-D1", isDone)).case.caseId}`;
  await world.providers.order([{ action: email, fault: "commitThenDrop", times: 1 }]);
  await world.post(world.raised("INV-D2"));
  const view = await world.until("INV-D2", ({ reviews }) => reviews.length > 0);
  unknown = `acme:${view.case.caseId}`;
});
afterAll(async () => {
  await client.close();
  await world.close();
});

/** A worker that takes the session and gives up what it is handed. */
async function giveUp(sessionId: string, bodies: readonly unknown[]): Promise<void> {
  const receiver = await client.acceptSession("cases", sessionId);
  const sender = client.createSender("cases");
  await sender.sendMessages(
    bodies.map((body) => ({
      sessionId,
      messageId: randomUUID(),
      contentType: "application/json",
      body,
    })),
  );
  for (let left = bodies.length; left > 0;) {
    const messages: ServiceBusReceivedMessage[] = await receiver.receiveMessages(50, {
      maxWaitTimeInMs: 2000,
    });
    await Promise.all(
      messages.map((message) =>
        receiver.deadLetterMessage(message, {
          deadLetterReason: "WorkerFailed",
          deadLetterErrorDescription: "given up by the test",
        }),
      ),
    );
    left -= messages.length;
  }
  await receiver.close();
}

const hintOf = (caseKey: string) => ({ caseKey, hintId: randomUUID(), reason: "test" });

const deadLetters = async () =>
  (await world.serviceBus.queues()).reduce((sum, { deadLetter }) => sum + deadLetter, 0);

async function ops(persona: string, ...line: string[]) {
  const terminal = quietTerminal();
  const all = [...line, "--persona", persona, "--json", "--url", world.host.url];
  const code = await run(all, terminal);
  const { err, out } = terminal.said;
  return { code, err, json: (out === "" ? {} : JSON.parse(out)) as Record<string, unknown> };
}

const because = ["--reason", "the worker is repaired"];
const drain = ["dead-letters", "drain", "--tenant", "_", ...because];

/** The real program in a process of its own, until it has told its first progress. */
async function startDrain(): Promise<{ child: ChildProcess; said: () => string }> {
  const child = spawn(
    process.execPath,
    [program, ...drain, "--yes", "--persona", "olga", "--url", world.host.url],
    { stdio: ["ignore", "pipe", "pipe"] },
  );
  let said = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => (said += chunk.toString()));
  await waitUntil(
    () => `the drain tells its progress: ${said}`,
    () => said.includes(" of 2"),
  );
  return { child, said: () => said };
}

describe("dead letters", () => {
  test("are told apart by what the ledger says of another look", async () => {
    await giveUp(done, [hintOf(done), { note: "no hint" }]);
    await giveUp(unknown, [hintOf(unknown)]);
    await giveUp("monitoring", ["ping"]);
    const { code, json } = await ops("rita", "dead-letters", "preview", "--tenant", "_");
    expect(code).toBe(0);
    const { cases } = json as { cases: { deadLetters: { preview: { verdict: string } }[] } };
    expect(cases.deadLetters.map(({ preview }) => preview.verdict).toSorted()).toEqual([
      "blockedByUnknown",
      "noCase",
      "noCase",
      "nothingToRepeat",
    ]);
    const grouped = await ops("rita", "dead-letters", "list", "--tenant", "acme");
    expect(grouped.json).toMatchObject({ cases: { count: 3 }, reviews: { count: 0 } });
  });

  test("are not moved by a dry run, by a reader, or for another tenant", async () => {
    const before = await deadLetters();
    const dry = await ops("olga", ...drain, "--dry-run");
    expect([dry.code, dry.json]).toMatchObject([0, { resubmitted: 2, archived: 2, failed: 0 }]);
    const all = ["--queue", "cases", "--all", "--yes", "--tenant", "acme", ...because];
    const lines = [
      ["rita", ...drain, "--yes"],
      ["rita", "dead-letters", "resubmit", ...all],
      ["rita", "dead-letters", "archive", ...all],
      ["rita", "dead-letters", "edit", "1", ...all.slice(0, 2), "--case", done, ...all.slice(3)],
      ["otto", ...drain, "--yes"],
      ["otto", "dead-letters", "archive", ...all, "--tenant", "globex"],
    ];
    for (const [persona = "", ...line] of lines) {
      expect([persona, line[1], (await ops(persona, ...line)).code]).toEqual([persona, line[1], 3]);
    }
    expect(await deadLetters()).toBe(before);
  });

  test("of one tenant are archived by its own operator, by number", async () => {
    const { json } = await ops("otto", "dead-letters", "preview", "--tenant", "acme");
    const { cases } = json as {
      cases: { deadLetters: { sequenceNumber: string; preview: { verdict: string } }[] };
    };
    const number = cases.deadLetters.find(({ preview }) => preview.verdict === "noCase");
    const line = ["dead-letters", "archive", "--queue", "cases", "--tenant", "acme", "--yes"];
    const sequence = number?.sequenceNumber ?? "";
    const { code, json: moved } = await ops("otto", ...line, ...because, "--sequence", sequence);
    expect([code, moved]).toMatchObject([0, { archived: 1, resubmitted: 0 }]);
    expect(await deadLetters()).toBe(3);
  });

  test("drain to the last one though the drain is interrupted and killed; no effect happens twice", async () => {
    await giveUp(
      done,
      Array.from({ length: manyCount }, () => hintOf(done)),
    );
    const before = await world.applied("INV-D1");
    const first = await startDrain();
    first.child.kill("SIGINT");
    expect(await once(first.child, "exit")).toEqual([130, null]);
    expect(first.said()).toMatch(/interrupted\. So far: \d+ resubmitted/);
    expect(await deadLetters()).toBeGreaterThan(0);
    const second = await startDrain().catch(() => undefined);
    second?.child.kill("SIGKILL");
    if (second !== undefined) await once(second.child, "exit");
    const last = await ops("olga", ...drain, "--yes");
    expect([last.code, last.json]).toMatchObject([0, { failed: 0 }]);
    await waitUntil("nothing lies there any more", async () => {
      await ops("olga", ...drain, "--yes");
      return (await deadLetters()) === 0;
    });
    await waitUntil("every hint has been taken", async () =>
      (await world.serviceBus.queues()).every(({ active }) => active === 0),
    );
    expect(await world.applied("INV-D1")).toEqual(before);
    expect((await world.applied("INV-D2"))[email]).toBe(1);
    const { effects } = (await world.view("INV-D2")) ?? { effects: [] };
    expect(effects.find(({ action }) => action === email)?.status).toBe("unknown");
  }, 120_000);
});
