// The broker as a process, and the files it reads.

import { fork } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";

import { describe, expect, test } from "vitest";

import { readEntities } from "../../../local/service-bus/entities.ts";
import { afterTest, connect, temporaryFolder } from "./with-service-bus.ts";

const MAIN = new URL("../../../local/service-bus/main.ts", import.meta.url);
const ENTITIES = new URL("../../../infra/entities.json", import.meta.url).pathname;

function start(...argv: string[]) {
  const broker = fork(MAIN, argv, { silent: true });
  afterTest(async () => void broker.kill("SIGKILL"));
  let said = "";
  broker.stdout?.on("data", (chunk: Buffer) => (said += chunk.toString()));
  broker.stderr?.on("data", (chunk: Buffer) => (said += chunk.toString()));
  return { broker, said: () => said, exited: once(broker, "exit") };
}

describe("the broker as a process", () => {
  test("says once that it is ready, serves, and ends cleanly on SIGTERM", async () => {
    const { broker, said, exited } = start(
      "--data",
      await temporaryFolder(),
      "--port",
      "0",
      "--entities",
      ENTITIES,
    );
    const [ready] = (await once(broker, "message")) as [{ kind: string; connectionString: string }];
    expect(ready.kind).toBe("ready");
    const client = connect(ready.connectionString);
    await client.createSender("cases").sendMessages({ body: 1, sessionId: "a" });
    expect((await client.acceptNextSession("cases")).sessionId).toBe("a");
    broker.kill("SIGTERM");
    expect(await exited).toEqual([0, null]);
    expect(said().trim().split("\n").length).toBe(1);
  });

  test("says in one sentence that its port is taken", async () => {
    const holder = createServer().listen(0, "127.0.0.1");
    await once(holder, "listening");
    afterTest(async () => void holder.close());
    const { port } = holder.address() as AddressInfo;
    const { said, exited } = start("--data", await temporaryFolder(), "--port", String(port));
    expect(await exited).toEqual([1, null]);
    expect(said().trim()).toBe(
      `Port ${port} is in use; choose another with --port or --control-port.`,
    );
  });

  test("refuses a data folder another broker is using", async () => {
    const dataFolder = await temporaryFolder();
    const first = start("--data", dataFolder, "--port", "0");
    await once(first.broker, "message");
    const second = start("--data", dataFolder, "--port", "0");
    expect(await second.exited).toEqual([1, null]);
    expect(second.said()).toContain("Another broker is using");
  });
});

describe("the entities file", () => {
  test("may have the shape of Microsoft's emulator", () => {
    const entities = readEntities({
      UserConfig: {
        Namespaces: [
          {
            Name: "sbemulatorns",
            Queues: [
              {
                Name: "cases",
                Properties: { RequiresSession: true, LockDuration: "PT30S", MaxDeliveryCount: 3 },
              },
            ],
            Topics: [
              {
                Name: "news",
                Properties: { DefaultMessageTimeToLive: "P1DT1H" },
                Subscriptions: [
                  {
                    Name: "all",
                    Properties: {},
                    Rules: [
                      {
                        Name: "r",
                        Properties: {
                          FilterType: "Correlation",
                          CorrelationFilter: { ContentType: "text/plain" },
                        },
                      },
                    ],
                  },
                ],
              },
            ],
          },
        ],
        Logging: { Type: "File" },
      },
    });
    expect(entities.queues).toMatchObject([
      { name: "cases", requiresSession: true, lockDuration: 30_000, maxDeliveryCount: 3 },
    ]);
    expect(entities.topics).toMatchObject([
      {
        name: "news",
        defaultMessageTimeToLive: 90_000_000,
        subscriptions: [
          { name: "all", rules: [{ correlationFilter: { contentType: "text/plain" } }] },
        ],
      },
    ]);
  });

  test("with a mistake is refused by name", () => {
    expect(() => readEntities({ queues: [{ name: "q", lockDuration: "a while" }] })).toThrow(
      "lockDuration",
    );
  });
});
