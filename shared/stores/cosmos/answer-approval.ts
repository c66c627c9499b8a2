// The one answer to a question: a replace under the approval's own ETag. Turns never rewrite it.
//
// An answer that may have been written is settled by reading again: it is there under its own `answerId`, or it is not.
import { TransientFault } from "../../domain/faults.ts";
import type { CaseKey } from "../../domain/identity.ts";
import { Approval, isSameAnswer, type ApprovalAnswer } from "../../domain/records/approval.ts";
import { decode } from "../case-documents.ts";
import type { Answered } from "../ports.ts";
import { failureOf, refusalOf } from "./answers.ts";
import { idsOf, partitionOf } from "./query-pages.ts";
import { readDocument } from "./read-document.ts";
import { withinBudget, type Source } from "./source.ts";

const triesMax = 4;

export async function answerApproval(
  source: Source,
  key: CaseKey,
  request: { id: string; answer: ApprovalAnswer },
): Promise<Answered> {
  const { id, answer } = request;
  const ids = { ...idsOf(key), documentId: id };
  const partitionKey = partitionOf(key);
  for (let tries = 0; tries < triesMax; tries += 1) {
    const { document, etag } = await readDocument(source, id, { partitionKey, ids });
    if (document === undefined || etag === undefined) return { kind: "missing" };
    const approval = decode(Approval, document);
    if (approval === undefined)
      throw new TransientFault("Newer code asked this question.", { ids });
    if (approval.answer !== undefined) return answeredBefore(approval, answer);
    try {
      await source.container
        .item(id, partitionKey)
        .replace(
          { ...approval, answer },
          { ...withinBudget(source), accessCondition: { type: "IfMatch", condition: etag } },
        );
      return { kind: "answered" };
    } catch (error) {
      const refusal = failureOf(error).status === 412 ? undefined : refusalOf(error, ids);
      if (refusal !== undefined) throw refusal;
    }
  }
  throw new TransientFault("The answer could not be written; answer again.", { ids });
}

export function answeredBefore(approval: Approval, answer: ApprovalAnswer): Answered {
  return approval.answer !== undefined && isSameAnswer(approval.answer, answer)
    ? { kind: "answered" }
    : { kind: "answeredBefore", approval };
}
