// Set up to send cross-partition queries back, the server meets what the SDK's own pipeline refuses, as against Azure.
import { expect, test } from "vitest";
import { failureOf, situation } from "../fixture.ts";

const { container } = await situation({ physicalPartitions: 4, crossPartitionQueries: "client" });
const things = container("things");

test("aggregates beside names, and sort keys of mixed types, are refused across partitions", async () => {
  for (const [n, at] of [1, "text", 2].entries()) {
    await things.items.create({ id: `i${n}`, pk: `p${n}`, at });
  }
  const ask = (query: string) => failureOf(things.items.query(query).fetchAll());
  const aggregate = await ask("SELECT COUNT(1) AS n FROM c");
  expect(aggregate.message).toContain("must use the VALUE keyword");
  expect((await ask("SELECT VALUE c.at FROM c ORDER BY c.at")).message).toContain("mixed types");
});
