// What is kept beside a case: payloads, checkpoints and refusals, which end by themselves, and archived dead letters; by id.
import { z } from "zod";
import type { CaseKey } from "../../domain/identity.ts";
import type { Passing } from "../ports.ts";
import { idsOf, partitionOf, queryPages } from "./query-pages.ts";
import type { Source } from "./source.ts";

const query = `SELECT c.id, c.type FROM c WHERE c.type IN ("payload", "checkpoint", "refusal", "deadLetter")`;

const Row = z.object({
  id: z.string(),
  type: z.enum(["payload", "checkpoint", "refusal", "deadLetter"]),
});

export async function readPassing(source: Source, key: CaseKey): Promise<Passing[]> {
  const partition = { partitionKey: partitionOf(key), ids: idsOf(key) };
  const what = "the query for what is kept beside a case";
  const { pages } = await queryPages(source, { query }, { ...partition, what });
  return pages.flat().map((row) => Row.parse(row));
}
