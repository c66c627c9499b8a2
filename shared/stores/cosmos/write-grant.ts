// Giving and revoking: both leave who, when and why, and neither can be undone by writing again.
import type { Container } from "@azure/cosmos";
import { TransientFault } from "../../domain/faults.ts";
import { Grant } from "../../domain/records/grant.ts";
import { decode } from "../case-documents.ts";
import type { GrantRegister } from "../ports.ts";
import { createOnce } from "./create-once.ts";
import { failureOf, refusalOf } from "./answers.ts";
import { readDocument } from "./read-document.ts";
import { withinBudget } from "./source.ts";

const triesMax = 4;

export function grantWriter(container: Container): Pick<GrantRegister, "create" | "revoke"> {
  const source = { container };
  return {
    create: (grant) => createOnce(source, grant),
    async revoke(tenantId, grantId, revoked) {
      const ids = { tenantId, grantId };
      for (let tries = 0; tries < triesMax; tries += 1) {
        const read = { partitionKey: [tenantId], ids };
        const { document, etag } = await readDocument(source, grantId, read);
        const grant = document === undefined ? undefined : decode(Grant, document);
        if (document === undefined || etag === undefined) return "missing";
        if (grant === undefined) throw new TransientFault("Newer code wrote this grant.", { ids });
        if (grant.revoked !== undefined) {
          const isOurs = grant.revoked.by === revoked.by && grant.revoked.atMs === revoked.atMs;
          return isOurs ? "revoked" : "revokedBefore";
        }
        try {
          await container
            .item(grantId, tenantId)
            .replace(
              { ...grant, revoked },
              { ...withinBudget(source), accessCondition: { type: "IfMatch", condition: etag } },
            );
          return "revoked";
        } catch (error) {
          const refusal = failureOf(error).status === 412 ? undefined : refusalOf(error, ids);
          if (refusal !== undefined) throw refusal;
        }
      }
      throw new TransientFault("The grant could not be revoked; revoke it again.", { ids });
    },
  };
}
