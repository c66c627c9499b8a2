// An unguarded create: an event, a finding, a refusal. It is the same document however often it is sent.
import type { Container } from "@azure/cosmos";
import type { FaultIds } from "../../domain/faults.ts";
import type { Created } from "../ports.ts";
import { failureOf, refusalOf, withinBudget } from "./answers.ts";

export async function createOnce(
  container: Container,
  document: { id: string; tenantId: string; caseId: string },
): Promise<Created> {
  const { id, tenantId, caseId } = document;
  const ids: FaultIds = { tenantId, caseId, documentId: id };
  try {
    // A copy: the SDK may write into what it is given.
    await container.items.create({ ...document }, withinBudget());
    return "created";
  } catch (error) {
    if (failureOf(error).status === 409) return "exists";
    const refusal = refusalOf(error, ids);
    if (refusal !== undefined) throw refusal;
    return "uncertain";
  }
}
