// The snapshot of one case, in one in-partition query: the case, all its effects, what is unfolded and open.
//
// A single page shows one moment. Over several pages the case may be read later than some effects, and an
// ETag newer than the effects beside it would make a stale snapshot writable. Then the ETag is read
// first, and counts only if the pages still show the same one.
import { TransientFault } from "../../domain/faults.ts";
import type { CaseKey } from "../../domain/identity.ts";
import { assembleCase } from "../case-documents.ts";
import type { SnapshotRead } from "../ports.ts";
import { idsOf, partitionOf, queryPages, type Pages } from "./query-pages.ts";
import { readDocument } from "./read-document.ts";
import type { Source } from "./source.ts";

const query = `SELECT * FROM c WHERE c.type IN ("case", "effect", "approval")
  OR (c.type IN ("event", "finding") AND NOT IS_DEFINED(c.folded))
  OR (c.type = "review" AND NOT IS_DEFINED(c.resolution))`;

const readsMax = 5;

export async function readCase(source: Source, key: CaseKey): Promise<SnapshotRead> {
  const partition = { partitionKey: partitionOf(key), ids: idsOf(key) };
  const read = () => queryPages(source, { query }, { ...partition, what: "the read of a case" });
  const first = await read();
  if (first.pages.length === 1) return assembled(key, first);
  for (let reads = 0; reads < readsMax; reads += 1) {
    const before = await readDocument(source, "case", partition);
    const answer = assembled(key, await read());
    if (answer.caseEtag === before.etag) return answer;
  }
  throw new TransientFault("The case changes faster than its pages can be read.", {
    ids: idsOf(key),
  });
}

function assembled(key: CaseKey, { pages, storeMs }: Pages): SnapshotRead {
  const { snapshot, caseEtag } = assembleCase(key, pages.flat());
  return { snapshot, caseEtag, storeMs };
}
