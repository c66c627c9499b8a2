// One document by its id. `item.read()` does not throw when it is missing, nor when this replica is behind.
import { z } from "zod";
import { TerminalFault, TransientFault, type FaultIds } from "../../domain/faults.ts";
import { readFault, storeMsOf, whyRefused } from "./answers.ts";
import { withinBudget, type Source } from "./source.ts";

const Stored = z.looseObject({ _etag: z.string().optional() });

export interface DocumentRead {
  document: unknown;
  etag: string | undefined;
  storeMs: number | undefined;
}

export async function readDocument(
  source: Source,
  id: string,
  options: { partitionKey: string[]; ids: FaultIds },
): Promise<DocumentRead> {
  const { partitionKey } = options;
  const ids = { ...options.ids, documentId: id };
  let response;
  try {
    response = await source.container.item(id, partitionKey).read(withinBudget(source));
  } catch (error) {
    throw readFault(error, "a read by id", ids);
  }
  if (response.statusCode === 404) {
    if (response.substatus === 1002) {
      throw new TransientFault("A replica of Cosmos DB is behind; read again.", { ids });
    }
    // A missing container is no missing document: else a drain would seem to be off, and a payload gone.
    const why = response.substatus === 1003 ? whyRefused(404) : undefined;
    if (why !== undefined) throw new TerminalFault(why, { ids });
    return { document: undefined, etag: undefined, storeMs: storeMsOf(response.headers) };
  }
  const { resource } = response;
  const etag = Stored.safeParse(resource).data?._etag;
  return { document: resource, etag, storeMs: storeMsOf(response.headers) };
}
