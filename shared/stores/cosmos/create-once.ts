// An unguarded create: an event, a finding, a grant. It is the same document however often it is sent.
import type { FaultIds } from "../../domain/faults.ts";
import type { Created } from "../ports.ts";
import { failureOf, refusalOf } from "./answers.ts";
import { withinBudget, type Source } from "./source.ts";

export async function createOnce(
  source: Source,
  document: { id: string; tenantId: string; caseId?: string },
): Promise<Created> {
  const { id, tenantId, caseId } = document;
  const ids: FaultIds = {
    tenantId,
    documentId: id,
    ...(caseId === undefined ? {} : { caseId }),
  };
  try {
    // A copy: the SDK may write into what it is given.
    await source.container.items.create({ ...document }, withinBudget(source));
    return "created";
  } catch (error) {
    if (failureOf(error).status === 409) return "exists";
    const refusal = refusalOf(error, ids);
    if (refusal !== undefined) throw refusal;
    return "uncertain";
  }
}
