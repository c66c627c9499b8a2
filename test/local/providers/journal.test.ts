// The journal outlives its process, and is what the next one starts from.
import { fork } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { appendFile, readFile } from "node:fs/promises";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { startWorld, temporaryFolder, worldAt } from "./world.ts";
import type { World } from "./world.ts";

const mainPath = join(import.meta.dirname, "../../../local/providers/main.ts");

function forkMain(args: string[]): ChildProcess {
  const child = fork(mainPath, args, { silent: true });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

async function startProcess(dataFolder: string): Promise<{ world: World; child: ChildProcess }> {
  const child = forkMain(["--data", dataFolder, "--port", "0"]);
  const [ready] = (await once(child, "message")) as [{ kind: string; url: string }];
  expect(ready.kind).toBe("ready");
  return { child, world: worldAt(ready.url, dataFolder, async () => {}) };
}

describe("a restarted provider", () => {
  test("still replays a key that it stored, and numbers on", async () => {
    const first = await startWorld();
    await first.credit("key-1");
    await first.close();
    const second = await startWorld({ dataFolder: first.dataFolder });
    const replayed = await second.credit("key-1");
    expect(replayed.headers.get("idempotent-replayed")).toBe("true");
    expect(await replayed.json()).toMatchObject({ id: "CN-000001" });
    expect(await (await second.credit("key-2")).json()).toMatchObject({ id: "CN-000002" });
  });

  test("cuts off a torn last line and goes on", async () => {
    const first = await startWorld();
    await first.credit("key-1");
    await first.close();
    const path = join(first.dataFolder, "journal.jsonl");
    const whole = await readFile(path, "utf8");
    await appendFile(path, '{"n":9,"atMs":1,"event":"appl');
    const second = await startWorld({ dataFolder: first.dataFolder });
    expect((await second.credit("key-1")).headers.get("idempotent-replayed")).toBe("true");
    await second.close();
    const after = await readFile(path, "utf8");
    expect(after.startsWith(whole)).toBe(true);
    for (const line of after.trimEnd().split("\n")) JSON.parse(line);
  });

  test("has lost nothing to a SIGKILL that it had applied", async () => {
    const dataFolder = await temporaryFolder();
    const { world, child } = await startProcess(dataFolder);
    await world.local.order([{ fault: "hang" }]);
    const caller = world.credit("key-1").catch(() => "no answer" as const);
    await world.local.waitFor(({ event }) => event === "applied");
    child.kill("SIGKILL");
    expect(await caller).toBe("no answer");
    const second = await startProcess(dataFolder);
    expect((await second.world.credit("key-1")).headers.get("idempotent-replayed")).toBe("true");
    expect(await second.world.applied()).toHaveLength(1);
    second.child.kill("SIGTERM");
    expect(await once(second.child, "exit")).toEqual([0, null]);
  });
});

describe("the journal", () => {
  test("tells one request from another, step by step", async () => {
    const { credit, local } = await startWorld();
    await credit("key-1");
    await local.waitFor(({ event }) => event === "answered");
    const entries = await local.journal();
    expect(entries.map(({ n, event }) => [n, event])).toEqual([
      [1, "received"],
      [2, "applied"],
      [3, "answered"],
    ]);
    expect(new Set(entries.map(({ requestId }) => requestId)).size).toBe(1);
    expect(entries[1]).toMatchObject({
      provider: "supplier-portal",
      account: "acme",
      action: "portal.request_credit_note.v1",
      target: "INV-1",
      operation: "op-1",
      key: "key-1",
      resultId: "CN-000001",
      body: { amount: "50.00" },
    });
  });

  test("lets a reader wait for what comes next", async () => {
    const { email, local } = await startWorld();
    const waiting = local.journal(0, 10_000);
    await email("ana@example.com");
    expect(await waiting).toMatchObject([{ event: "received", target: "ana@example.com" }]);
  });

  test("answers an empty wait when its time is up", async () => {
    const { local } = await startWorld();
    expect(await local.journal(0, 20)).toEqual([]);
  });
});

describe("a port that is taken", () => {
  test("is told in one sentence", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    onTestFinished(() => void other.close());
    await once(other, "listening");
    const { port } = other.address() as AddressInfo;
    const child = forkMain(["--data", await temporaryFolder(), "--port", String(port)]);
    let said = "";
    child.stderr?.on("data", (chunk: Buffer) => (said += chunk.toString()));
    expect(await once(child, "close")).toEqual([3, null]);
    expect(said).toBe(
      `providers: port ${port} on 127.0.0.1 is taken; give another one with --port.\n`,
    );
  });
});
