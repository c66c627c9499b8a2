import type { ChildProcess } from "node:child_process";
import { fork } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { CosmosClient } from "@azure/cosmos";
import { afterAll, describe, expect, test } from "vitest";
import { CONTAINERS, temporaryFolder } from "../fixture.ts";

const MAIN = join(import.meta.dirname, "../../../../local/cosmos/main.ts");
const KILLS = 4;
const WRITERS = 8;
const children: ChildProcess[] = [];

afterAll(() => {
  for (const child of children) child.kill("SIGKILL");
});

async function start(dataFolder: string, entities: string) {
  const child = fork(MAIN, ["--data", dataFolder, "--entities", entities], {
    stdio: "ignore",
    execArgv: [],
  });
  children.push(child);
  const [ready] = (await once(child, "message")) as [{ connectionString: string }];
  const client = new CosmosClient({ connectionString: ready.connectionString });
  return { child, client, cases: client.database("test").container("cases") };
}

describe("a server that is killed again and again in the middle of writing", () => {
  test("loses no acknowledged batch and tears none", async () => {
    const dataFolder = temporaryFolder();
    const entities = join(dataFolder, "entities.json");
    writeFileSync(
      entities,
      JSON.stringify({ cosmos: { database: "test", containers: CONTAINERS } }),
    );
    const acknowledged = new Set<string>();
    let sent = 0;
    for (let kill = 0; kill < KILLS; kill += 1) {
      const { child, client, cases } = await start(dataFolder, entities);
      const target = acknowledged.size + 60 + kill * 25;
      const write = async (): Promise<void> => {
        for (;;) {
          sent += 1;
          const caseId = `c${sent}`;
          const operations = ["a", "b", "c"].map((id) => ({
            operationType: "Create" as const,
            resourceBody: { id, tenantId: "t", caseId },
          }));
          const done = await cases.items.batch(operations, ["t", caseId]).catch(() => undefined);
          if (done === undefined) return;
          if (done.code === 200) acknowledged.add(caseId);
          if (acknowledged.size >= target) child.kill("SIGKILL");
        }
      };
      await Promise.all(Array.from({ length: WRITERS }, write));
      client.dispose();
    }
    const { child, client, cases } = await start(dataFolder, entities);
    const query = "SELECT VALUE c.caseId FROM c";
    const { resources } = await cases.items.query<string>(query, { maxItemCount: -1 }).fetchAll();
    const counts = new Map<string, number>();
    for (const caseId of resources) counts.set(caseId, (counts.get(caseId) ?? 0) + 1);
    expect([...counts.values()].filter((count) => count !== 3)).toEqual([]);
    expect([...acknowledged].filter((caseId) => !counts.has(caseId))).toEqual([]);
    expect(acknowledged.size).toBeGreaterThan(KILLS * 60);
    const stopped = once(child, "exit");
    child.kill("SIGTERM");
    expect((await stopped)[0]).toBe(0);
    client.dispose();
  });
});
