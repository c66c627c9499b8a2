// What the store holds in the end, asked through the real SDK.
import { CosmosClient, type Container } from "@azure/cosmos";
import type { LocalAzure } from "../../../local/start/azure/local-azure.ts";

async function withCases<Answer>(
  { cosmosConnection }: Pick<LocalAzure, "cosmosConnection">,
  ask: (cases: Container) => Promise<Answer>,
): Promise<Answer> {
  const client = new CosmosClient(cosmosConnection);
  try {
    return await ask(client.database("countersign").container("cases"));
  } finally {
    client.dispose();
  }
}

async function count(cases: Container, where: string): Promise<number> {
  const query = `SELECT VALUE COUNT(1) FROM c WHERE ${where}`;
  const { resources } = await cases.items.query<number>(query).fetchAll();
  return resources.reduce((sum, part) => sum + part, 0);
}

/** In words; empty: `expected` cases are committed with three confirmed effects each, and no review was opened. */
export async function uncommitted(azure: LocalAzure, expected: number): Promise<string[]> {
  return withCases(azure, async (cases) => {
    const committed = await count(cases, `c.type = "case" AND c.status = "credit_requested"`);
    const confirmed = await count(cases, `c.type = "effect" AND c.status = "confirmed"`);
    const effects = await count(cases, `c.type = "effect"`);
    const reviews = await count(cases, `c.type = "review"`);
    return [
      committed === expected ? [] : [`${committed} of ${expected} cases are committed`],
      confirmed === expected * 3 ? [] : [`${confirmed} of ${expected * 3} effects are confirmed`],
      effects === expected * 3 ? [] : [`there are ${effects} effects instead of ${expected * 3}`],
      reviews === 0 ? [] : [`${reviews} reviews were opened`],
    ].flat();
  });
}

/** What one case's documents take as JSON, on average. */
export async function storedBytes(azure: LocalAzure, cases: number): Promise<number> {
  return withCases(azure, async (container) => {
    let bytes = 0;
    const documents = container.items.query("SELECT * FROM c WHERE c.type != 'refusal'");
    for await (const { resources } of documents.getAsyncIterator()) {
      for (const document of resources) bytes += Buffer.byteLength(JSON.stringify(document));
    }
    return Math.round(bytes / cases);
  });
}
