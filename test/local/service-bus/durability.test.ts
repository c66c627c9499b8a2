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
  await writeFile(entities, JSON.stringify({ queues: [{ name: "work", maxDeliveryCount: 100 }] }));
  const broker = fork(MAIN, ["--data", dataFolder, "--port", "0", "--entities", entities], {
    silent: true,
  });
  afterTest(async () => void broker.kill("SIGKILL"));
  const [ready] = (await once(broker, "message")) as [Ready];
  return { broker, ready };
}

type Completions = { attempted: Set<unknown>; answered: Set<unknown> };

/** Sends and completes as fast as it can until the broker dies; keeps what was acknowledged. */
function loadFor(connectionString: string, firstId: number, completions: Completions) {
  const client = new ServiceBusClient(connectionString, {
    retryOptions: { maxRetries: 0, timeoutInMs: 500 },
  });
  const acknowledged: number[] = [];
  let nextId = firstId;
  const state = { stopped: false };
  const sender = client.createSender("work");
  const send = async (): Promise<void> => {
    while (!state.stopped) {
      const id = nextId++;
      await sender.sendMessages({ body: id }).then(
        () => acknowledged.push(id),
        () => {
          state.stopped = true;
        },
      );
    }
  };
  const receiver = client.createReceiver("work");
  const receive = async (): Promise<void> => {
    while (!state.stopped) {
      const messages = await receiver.receiveMessages(10, { maxWaitTimeInMs: 20 }).catch(() => []);
      for (const message of messages) {
        if (completions.answered.has(message.body)) throw new Error(`${message.body} came again`);
        completions.attempted.add(message.body);
        void receiver.completeMessage(message).then(
          () => completions.answered.add(message.body),
          () => {},
        );
      }
    }
  };
  const done = Promise.all([send(), send(), send(), send(), receive()]);
  return { acknowledged, done, lastId: () => nextId, close: () => client.close() };
}

describe("a broker killed in mid-load", { timeout: 60_000 }, () => {
  test("has lost nothing it accepted and redelivers nothing it completed", async () => {
    const dataFolder = await temporaryFolder();
    const acknowledged: number[] = [];
    const completions: Completions = { attempted: new Set(), answered: new Set() };
    let firstId = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      const { broker, ready } = await startProcess(dataFolder);
      const load = loadFor(ready.connectionString, firstId, completions);
      const completedEnough = completions.answered.size + 50;
      await until("the load is under way", () => {
        return load.acknowledged.length > 200 && completions.answered.size > completedEnough;
      });
      broker.kill("SIGKILL");
      await load.done;
      await load.close();
      acknowledged.push(...load.acknowledged);
      firstId = load.lastId();
    }

    const { ready } = await startProcess(dataFolder);
    const client = new ServiceBusClient(ready.connectionString);
    const receiver = client.createReceiver("work", { receiveMode: "receiveAndDelete" });
    const left: unknown[] = [];
    for (;;) {
      const more = bodies(await receiver.receiveMessages(500, { maxWaitTimeInMs: 500 }));
      if (more.length === 0) break;
      left.push(...more);
    }
    await client.close();

    // An attempted completion without an answer may have been done or not.
    const accountedFor = new Set([...left, ...completions.attempted]);
    expect(acknowledged.filter((id) => !accountedFor.has(id))).toEqual([]);
    expect(left.filter((id) => completions.answered.has(id))).toEqual([]);
    expect(new Set(left).size).toBe(left.length);
  });
});
