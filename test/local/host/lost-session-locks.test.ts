// A session's lock that runs out while its link is being closed: both ends close it, and neither knows of the other's close.
// The SDK then rejects where nobody listens, which would end the host and, with it, everything that it serves.
import { ServiceBusClient } from "@azure/service-bus";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { startServiceBus } from "../../../local/service-bus/server.ts";
import { afterwards, type Fixture, startFixture, temporaryFolder, until } from "./fixture-app.ts";
import { crossingCloses } from "./ways-to-broker.ts";

const APP = `
const { app } = require("@azure/functions");
const { appendFileSync } = require("node:fs");
app.serviceBusQueue("in-session", { connection: "Bus", queueName: "cases", isSessionsEnabled: true,
  handler: (body) => appendFileSync("record.txt", body.n + " ") });
`;

async function served({ appFolder }: Fixture): Promise<string> {
  return readFile(join(appFolder, "record.txt"), "utf8").catch(() => "");
}

/** Everything that this process rejected and nobody heard. */
function unheard(): unknown[] {
  const reasons: unknown[] = [];
  const reject = (reason: unknown) => void reasons.push(reason);
  process.on("unhandledRejection", reject);
  afterwards(async () => void process.off("unhandledRejection", reject));
  return reasons;
}

/** An app that has served its first message over a way on which the two closes of its session will cross. */
async function startCrossing() {
  const bus = await startServiceBus({
    dataFolder: await temporaryFolder(),
    entities: { queues: [{ name: "cases", requiresSession: true, lockDuration: "PT1S" }] },
  });
  afterwards(() => bus.close());
  const client = new ServiceBusClient(bus.connectionString);
  afterwards(() => client.close());
  const sender = client.createSender("cases");
  const way = await crossingCloses(bus.connectionString);
  const serviceBus = { sessionIdleTimeout: "00:00:00.2", maxConcurrentSessions: 1 };
  const fixture = await startFixture(
    { files: { "main.js": APP }, hostJson: { extensions: { serviceBus } } },
    { settings: { Bus: way.connectionString } },
  );
  const send = (n: number) => sender.sendMessages({ sessionId: `s${n}`, body: { n } });
  await send(1);
  await until("the first is served", async () => (await served(fixture)) === "1 ");
  way.arm();
  return { fixture, way, send };
}

describe("a session's lock that runs out while its link is closed", () => {
  test("after a drain without an answer: costs the host nothing, and the next session is served", async () => {
    const reasons = unheard();
    const { fixture, way, send } = await startCrossing();
    await until("the closes crossed", () => way.crossings() === 1);
    await send(2);
    await until(
      "the next is served",
      async () => reasons.length > 0 || (await served(fixture)) === "1 2 ",
    );
    expect(reasons).toEqual([]);
  });

  test("by a host that stops: lets it stop in peace", async () => {
    const reasons = unheard();
    const { fixture, way } = await startCrossing();
    await until("the listener drains", () => way.isStill());
    const closing = fixture.host.close();
    await until("the closes crossed", () => way.crossings() === 1);
    await closing;
    expect(reasons).toEqual([]);
  });
});
