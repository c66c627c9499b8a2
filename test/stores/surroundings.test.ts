// The doctor's own eyes when the account does not answer: that is an outage, told as one, and never the SDK's own error, which holds
// the request.
import { expect, test } from "vitest";
import { azureSurroundings } from "../../shared/stores/surroundings.ts";
import { openCosmosWorld } from "./local-cosmos.ts";

test("an account that nobody answers for is an outage, in our words", async () => {
  const world = await openCosmosWorld({ requestTimeoutMs: 800 });
  const { client } = world;
  const serviceBus = { connectionString: "Endpoint=sb://127.0.0.1:1;SharedAccessKey=k" };
  const database = client.database("countersign");
  const seen = azureSurroundings({ client, database }, serviceBus);
  expect(await seen.account()).toMatchObject({ consistency: "BoundedStaleness" });
  expect(await seen.containers(["cases", "none"])).toMatchObject([
    { partitionKey: ["/tenantId", "/caseId"] },
    { id: "none" },
  ]);
  await world.faults.inject({ match: { kind: "metadata" }, fault: "status", status: 403 });
  expect(await seen.containers(["cases"])).toBeUndefined();
  await world.faults.clearFaults();
  await world.faults.inject({ match: { kind: "metadata" }, fault: "status", status: 503 });
  await expect(seen.containers(["cases"])).rejects.toMatchObject({ name: "TransientFault" });
  await world.close();
  for (const look of [seen.account(), seen.containers(["cases"])]) {
    await expect(look).rejects.toMatchObject({
      name: "TransientFault",
      message: expect.stringContaining("Cosmos DB gave no answer"),
    });
  }
});
