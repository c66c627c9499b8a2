// Operations a second of any Cosmos DB server with the real client: create, point read, a query within one partition, and a
// transactional batch of three creates. The same code for whoever is measured.
import { randomUUID } from "node:crypto";
import { CosmosClient, type Container, type OperationInput } from "@azure/cosmos";
import { rateOf, type Measured, type Rate } from "./rate.ts";

export interface CosmosRates {
  create: Measured;
  read: Measured;
  query: Measured;
  batch: Measured;
  /** Nothing of a batch that failed is left behind: a batch that is not atomic is cheap and worth little. */
  batchIsAtomic: boolean;
}

const documentOf = (n: number) => ({
  id: `item-${n}`,
  pk: `partition-${n % 100}`,
  type: n % 3 === 0 ? "case" : "effect",
  status: "open",
  text: "x".repeat(600),
  n,
});

export async function cosmosRates(
  target: { connectionString: string },
  { count, concurrency }: { count: number; concurrency: number },
): Promise<CosmosRates> {
  const client = new CosmosClient({
    connectionString: target.connectionString,
    connectionPolicy: { requestTimeout: 10_000, enableEndpointDiscovery: false },
  });
  try {
    const container = await newContainer(client);
    const run = (act: (n: number) => Promise<unknown>): Promise<Rate> =>
      rateOf(count, concurrency, act);
    return {
      create: await run((n) => container.items.create(documentOf(n))),
      read: await run((n) => readOne(container, n)),
      query: await run((n) => queryOne(container, n)),
      batch: await orWhyNot(
        () => createThree(container, -1),
        () => run((n) => createThree(container, n)),
      ),
      batchIsAtomic: await keepsNothingOfAFailedBatch(container),
    };
  } finally {
    client.dispose();
  }
}

async function newContainer(client: CosmosClient): Promise<Container> {
  const { database } = await client.databases.create({ id: `bench-${randomUUID()}` });
  const { container } = await database.containers.create({
    id: "items",
    partitionKey: { paths: ["/pk"] },
  });
  return container;
}

async function readOne(container: Container, n: number): Promise<void> {
  const { id, pk } = documentOf(n);
  const { resource } = await container.item(id, pk).read<{ n: number }>();
  if (resource?.n !== n) throw new Error(`${id} was read as ${resource?.n}`);
}

async function queryOne(container: Container, n: number): Promise<void> {
  const { pk } = documentOf(n);
  const parameters = [{ name: "@n", value: n }];
  const query = { query: "SELECT * FROM c WHERE c.n = @n", parameters };
  const { resources } = await container.items.query(query, { partitionKey: pk }).fetchAll();
  if (resources.length !== 1) throw new Error(`${resources.length} documents are number ${n}`);
}

async function createThree(container: Container, n: number): Promise<void> {
  const pk = `batch-${n}`;
  const operations: OperationInput[] = ["a", "b", "c"].map((id) => ({
    operationType: "Create",
    resourceBody: { id, pk, text: "x".repeat(600) },
  }));
  const { code, result } = await container.items.batch(operations, pk);
  const created = Array.isArray(result)
    ? result.filter(({ statusCode }) => statusCode === 201)
    : [];
  if (code === 200 && created.length === operations.length) return;
  throw new Error(`a batch of 3 was answered ${code} with ${created.length} documents created`);
}

async function keepsNothingOfAFailedBatch(container: Container): Promise<boolean> {
  const pk = "failing";
  await container.items.create({ id: "there", pk });
  const operations: OperationInput[] = ["new", "there"].map((id) => ({
    operationType: "Create",
    resourceBody: { id, pk },
  }));
  await container.items.batch(operations, pk);
  const { resource } = await container.item("new", pk).read();
  return resource === undefined;
}

/** A server may not know the operation at all: that is told, not measured. */
async function orWhyNot(once: () => Promise<void>, run: () => Promise<Rate>): Promise<Measured> {
  try {
    await once();
  } catch (error) {
    return {
      cannot: error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error),
    };
  }
  return run();
}
