// A physical partition that splits under its readers. Azure splits when it must, and cannot be told to: these cases run against
// the stand-in alone. Rules from Microsoft Learn: "Partitioning and horizontal scaling", "Change feed design patterns".
import { ChangeFeedStartFrom } from "@azure/cosmos";
import { describe, expect, test } from "vitest";
import { account, freshKey } from "./account.ts";

const cosmos = await account();
const COUNT = 24;
const numbers = Array.from({ length: COUNT }, (_, n) => n);

/** A container of its own with an item in each of many partitions, over four physical ones. */
async function filled() {
  const id = freshKey();
  const definition = { id, partitionKey: { paths: ["/pk"], kind: "Hash", version: 2 } };
  const { container } = await cosmos.database.containers.create(definition as never);
  for (const n of numbers) await container.items.create({ id: `i${n}`, pk: `p${n}`, n });
  const split = async (rangeId: string) => await cosmos.standIn?.splitPartition(id, rangeId);
  const another = () => cosmos.connect().database(cosmos.database.id).container(id);
  return { container, split, another };
}

describe.runIf(cosmos.standIn !== undefined)("a partition that splits", () => {
  test("loses no change of a feed that is under way, and gives none twice", async () => {
    const { container, split } = await filled();
    const options = { changeFeedStartFrom: ChangeFeedStartFrom.Beginning(), maxItemCount: 2 };
    const iterator = container.items.getChangeFeedIterator<{ n: number }>(options);
    const seen = (await iterator.readNext()).result.map(({ n }) => n);
    await split("1");
    await split("0");
    let idle = 0;
    while (idle < 8) {
      const page = await iterator.readNext();
      idle = page.statusCode === 304 ? idle + 1 : 0;
      if (page.statusCode !== 304) seen.push(...page.result.map(({ n }) => n));
    }
    expect(seen.toSorted((a, b) => a - b)).toEqual(numbers);
  });

  test("is followed by a continuation token from before it", async () => {
    const { container, split } = await filled();
    const fromNow = { changeFeedStartFrom: ChangeFeedStartFrom.Now() };
    const before = container.items.getChangeFeedIterator<{ n: number }>(fromNow);
    for (let n = 0; n < 4; n += 1) await before.readNext();
    const { continuationToken } = await before.readNext();
    for (const n of numbers) await container.items.upsert({ id: `i${n}`, pk: `p${n}`, n: n + 100 });
    for (const rangeId of ["0", "2"]) await split(rangeId);
    const options = { changeFeedStartFrom: ChangeFeedStartFrom.Continuation(continuationToken) };
    const after = container.items.getChangeFeedIterator<{ n: number }>(options);
    const seen: number[] = [];
    for (let idle = 0; idle < 8;) {
      const page = await after.readNext();
      idle = page.statusCode === 304 ? idle + 1 : 0;
      if (page.statusCode !== 304) seen.push(...page.result.map(({ n }) => n));
    }
    expect(seen.toSorted((a, b) => a - b)).toEqual(numbers.map((n) => n + 100));
  });

  test("leaves point reads and writes of running clients as they were", async () => {
    const { container, split } = await filled();
    for (const rangeId of ["0", "1", "2", "3"]) await split(rangeId);
    for (const n of numbers) {
      expect((await container.item(`i${n}`, `p${n}`).read<{ n: number }>()).resource?.n).toBe(n);
    }
    expect((await container.items.create({ id: "new", pk: "p0" })).statusCode).toBe(201);
  });

  test("shows a new client more ranges, and every item in order", async () => {
    const { container, split, another } = await filled();
    const before = (await container.getFeedRanges()).length;
    await split("0");
    const fresh = another();
    expect(await fresh.getFeedRanges()).toHaveLength(before + 1);
    const query = "SELECT VALUE c.n FROM c ORDER BY c.n";
    expect((await fresh.items.query(query).fetchAll()).resources).toEqual(numbers);
  });
});
