// The look before a send, a decide or a commit: is the case still as we wrote it, and is nothing unfolded?
//
// Both in one page are one moment. Over several pages the ETag is read again at the end: as long as it
// is ours, nobody has folded anything, so whatever was unfolded when the pages began was still there to be seen.
import { z } from "zod";
import type { CaseKey } from "../../domain/identity.ts";
import type { CaseHead } from "../ports.ts";
import { idsOf, partitionOf, queryPages } from "./query-pages.ts";
import { readDocument } from "./read-document.ts";
import type { Source } from "./source.ts";

const query = `SELECT c.id, c.type, c._etag, c.lastWriteId FROM c WHERE c.type = "case"
  OR (c.type IN ("event", "finding") AND NOT IS_DEFINED(c.folded))`;

const Row = z.object({
  id: z.string(),
  type: z.string(),
  _etag: z.string(),
  lastWriteId: z.string().optional(),
});

export async function readHead(source: Source, key: CaseKey): Promise<CaseHead> {
  const partition = { partitionKey: partitionOf(key), ids: idsOf(key) };
  const { pages, storeMs } = await queryPages(
    source,
    { query },
    { ...partition, what: "the look at a case" },
  );
  const rows = pages.flat().map((row) => Row.parse(row));
  const caseRow =
    pages.length === 1
      ? rows.find((row) => row.type === "case")
      : Row.optional().parse((await readDocument(source, "case", partition)).document);
  return {
    caseEtag: caseRow?._etag,
    lastWriteId: caseRow?.lastWriteId,
    unfolded: rows.filter((row) => row.type !== "case").map((row) => row.id),
    storeMs,
  };
}
