// A real broker process killed in mid-load: what was acknowledged is there, what was completed is
// not. Some sends and completions are cut off without an answer; for those either outcome is right.

import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { ServiceBusClient } from "@azure/service-bus";
import { describe, expect, test } from "vitest";

import { afterTest, bodies, temporaryFolder, until } from "./with-service-bus.ts";

const MAIN = new URL("../../../local/service-bus/main.ts", import.meta.url);
const ROUNDS = 3;

type Ready = { kind: "ready"; connectionString: string; controlUrl: string };

async function startProcess(dataFolder: string): Promise<{ broker: ChildProcess; ready: Ready }> {
  const entities = join(dataFolder, "entities.json");
  await writeFile(
    entities,
    JSON.stringify({ queues: [{ name: "work", maxDeliveryCount: 100 }, { name: "kept" }] }),
  );
  const broker = fork(MAIN, ["--data", dataFolder, "--port", "0", "--entities", entities], {
    silent: true,
  });
  afterTest(async () => void broker.kill("SIGKILL"));
  const [ready] = (await once(broker, "message")) as [Ready];
  return { broker, ready };
}

/** What clients were told, over all rounds. */
type Told = {
  accepted: Record<"work" | "kept", Set<unknown>>;
  completing: Set<unknown>;
  completed: Set<unknown>;
  cameAgain: unknown[];
};

/** Sends to both queues and completes from one, as fast as it can; returns how to stop. */
function startLoad(connectionString: string, round: number, told: Told): () => void {
  const client = new ServiceBusClient(connectionString, { retryOptions: { maxRetries: 0 } });
  const state = { stopped: false };
  let sent = 0;
  const send = async (queue: "work" | "kept"): Promise<void> => {
    const sender = client.createSender(queue);
    while (!state.stopped) {
      const id = `${round}-${sent++}`;
      await sender.sendMessages({ body: id });
      told.accepted[queue].add(id);
    }
  };
  const receiver = client.createReceiver("work");
  const receive = async (): Promise<void> => {
    while (!state.stopped) {
      for (const message of await receiver.receiveMessages(10, { maxWaitTimeInMs: 20 })) {
        if (told.completed.has(message.body)) told.cameAgain.push(message.body);
        told.completing.add(message.body);
        void receiver.completeMessage(message).then(
          () => told.completed.add(message.body),
          () => {},
        );
      }
    }
  };
  // What the broker's death cuts off is left to the SDK's time-outs, which nobody waits for.
  for (const running of [send("work"), send("work"), send("kept"), send("kept"), receive()]) {
    running.catch((error: unknown) => {
      if (!state.stopped) throw error;
    });
  }
  return () => {
    state.stopped = true;
    void client.close().catch(() => {});
  };
}

describe("a broker killed in mid-load", { timeout: 60_000 }, () => {
  test("has lost nothing it accepted and redelivers nothing it completed", async () => {
    const dataFolder = await temporaryFolder();
    const told: Told = {
      accepted: { work: new Set(), kept: new Set() },
      completing: new Set(),
      completed: new Set(),
      cameAgain: [],
    };
    for (let round = 0; round < ROUNDS; round += 1) {
      const { broker, ready } = await startProcess(dataFolder);
      const [acceptedBefore, completedBefore] = [told.accepted.kept.size, told.completed.size];
      const stop = startLoad(ready.connectionString, round, told);
      await until("the load is under way", () => {
        const accepted = told.accepted.kept.size - acceptedBefore;
        return accepted > 100 && told.completed.size - completedBefore > 50;
      });
      const exited = once(broker, "exit");
      stop();
      broker.kill("SIGKILL");
      await exited;
    }

    const { ready } = await startProcess(dataFolder);
    const client = new ServiceBusClient(ready.connectionString);
    const [kept, work] = [await readAll(client, "kept"), await readAll(client, "work")];
    await client.close();

    expect([...told.accepted.kept].filter((id) => !kept.includes(id))).toEqual([]);
    // A completion without an answer may have been done or not.
    const accountedFor = new Set([...work, ...told.completing]);
    expect([...told.accepted.work].filter((id) => !accountedFor.has(id))).toEqual([]);
    expect(told.cameAgain).toEqual([]);
    expect(work.filter((id) => told.completed.has(id))).toEqual([]);
    expect(new Set(kept).size).toBe(kept.length);
  });
});

async function readAll(client: ServiceBusClient, queue: string): Promise<unknown[]> {
  const receiver = client.createReceiver(queue, { receiveMode: "receiveAndDelete" });
  const all: unknown[] = [];
  for (;;) {
    const more = bodies(await receiver.receiveMessages(500, { maxWaitTimeInMs: 500 }));
    if (more.length === 0) return all;
    all.push(...more);
  }
}
