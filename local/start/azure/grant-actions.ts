// The demo's authorizations: each tenant lets each workflow do its actions, on any target.
//
// They are created, never overwritten: a grant that somebody revoked stays revoked over a restart.
import { CosmosClient, ErrorResponse } from "@azure/cosmos";
import { tenantIds } from "./sources.ts";

const actionsOf = {
  "invoice-exception": [
    "portal.request_credit_note.v1",
    "portal.mark_invoice.v1",
    "email.send_notification.v1",
  ],
  "customer-onboarding": [
    "crm.close_case.v1",
    "tasks.create_welcome_task.v1",
    "email.send_notification.v1",
  ],
};

const wanted = Object.entries(actionsOf).flatMap(([subject, actions]) =>
  tenantIds.flatMap((tenantId) => actions.map((action) => ({ subject, tenantId, action }))),
);

/** How many of them are new. */
export async function grantActions(connectionString: string): Promise<number> {
  const client = new CosmosClient(connectionString);
  const grants = client.database("countersign").container("grants");
  let newCount = 0;
  try {
    for (const { subject, tenantId, action } of wanted) {
      const grant = {
        id: `grant:${tenantId}:${subject}:${action}`,
        tenantId,
        type: "grant",
        schemaVersion: 1,
        subject,
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
  } finally {
    client.dispose();
  }
  return newCount;
}
