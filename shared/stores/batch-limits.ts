// What one transaction takes: refused here, before it is sent, with the numbers in the message.
import { TerminalFault } from "../domain/faults.ts";
import type { Batch } from "./ports.ts";

const documentsMax = 100;
const bytesMax = 2 * 1024 * 1024;

export function assertFits(batch: Batch): void {
  const documents = [batch.log, batch.caseDocument, ...batch.creates, ...batch.replaces];
  const count = documents.length + batch.amends.length;
  const bytes = Buffer.byteLength(JSON.stringify([...documents, ...batch.amends]));
  if (count <= documentsMax && bytes <= bytesMax) return;
  throw new TerminalFault(
    `A batch of ${count} documents and ${bytes} bytes is beyond what one transaction takes ` +
      `(${documentsMax} documents, ${bytesMax} bytes).`,
    { ids: { ...batch.key, writeId: batch.log.id } },
  );
}
