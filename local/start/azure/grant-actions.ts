// The demo's authorizations: each tenant lets invoice-exception do its three actions, on any target.
//
// They are created, never overwritten: a grant that somebody revoked stays revoked over a restart.
import { CosmosClient, ErrorResponse } from "@azure/cosmos";
import { tenantOf } from "./sources.ts";

const actions = [
  "portal.request_credit_note.v1",
  "portal.mark_invoice.v1",
  "email.send_notification.v1",
];

/** How many of them are new. */
export async function grantActions(connectionString: string): Promise<number> {
  const client = new CosmosClient(connectionString);
  const grants = client.database("countersign").container("grants");
  let newCount = 0;
  try {
    for (const tenantId of Object.values(tenantOf)) {
      for (const action of actions) {
        const grant = {
          id: `grant:${tenantId}:${action}`,
          tenantId,
          type: "grant",
          schemaVersion: 1,
          subject: "invoice-exception",
          action,
          target: "*",
          limits: {},
          grantedBy: "local-setup",
          grantedAtMs: Date.now(),
        };
        try {
          await grants.items.create(grant);
          newCount += 1;
        } catch (error) {
          if (!(error instanceof ErrorResponse) || error.code !== 409) throw error;
        }
      }
    }
  } finally {
    client.dispose();
  }
  return newCount;
}
