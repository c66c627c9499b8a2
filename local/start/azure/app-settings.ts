// What the app is told about its surroundings, in the shape of local.settings.json. The names are
// those that it reads on Azure, too: it does not know that it runs locally.
import { sources, type Secrets } from "./sources.ts";

export interface Surroundings {
  serviceBusConnection: string;
  trustedCertificatesPath: string;
  cosmosConnection: string;
  providersUrl: string;
  secrets: Secrets;
  otlpEndpoint: string;
}

const callTimeoutMs = 3_000;

export function appSettings(surroundings: Surroundings): Record<string, string> {
  const { serviceBusConnection, cosmosConnection, otlpEndpoint, providersUrl, secrets } =
    surroundings;
  const senders = Object.entries(sources).map(([source, { tenantId, workflow }]) => [
    source,
    { tenantId, workflow, secrets: secrets.webhooks[source] },
  ]);
  return {
    FUNCTIONS_WORKER_RUNTIME: "node",
    // The host injects a signed-in principal, as Easy Auth does where the platform says that it is on.
    WEBSITE_AUTH_ENABLED: "True",
    ServiceBus: serviceBusConnection,
    // Node's own, for the administration client, which speaks https: the local broker vouches for itself.
    NODE_EXTRA_CA_CERTS: surroundings.trustedCertificatesPath,
    Cosmos: cosmosConnection,
    COSMOS_DATABASE: "countersign",
    CASE_ID_KEY: secrets.caseIdKey,
    PAYLOAD_KEYS: `local-1:${secrets.payloadKey}`,
    WEBHOOK_SOURCES: JSON.stringify(Object.fromEntries(senders)),
    // The samples are of companies that let the machine act alone; this one wants a person's word first.
    APPROVALS: JSON.stringify({ hooli: ["portal.request_credit_note.v1"] }),
    SUPPLIER_PORTAL_URL: `${providersUrl}/supplier-portal`,
    SUPPLIER_PORTAL_TOKEN: secrets.supplierPortalToken,
    SUPPLIER_PORTAL_CALL_TIMEOUT_MS: String(callTimeoutMs),
    EMAIL_URL: `${providersUrl}/email`,
    EMAIL_TOKEN: secrets.emailToken,
    EMAIL_FROM: "accounts-payable@countersign.example",
    EMAIL_CALL_TIMEOUT_MS: String(callTimeoutMs),
    CRM_URL: `${providersUrl}/crm`,
    CRM_TOKEN: secrets.crmToken,
    CRM_CALL_TIMEOUT_MS: String(callTimeoutMs),
    TASK_BOARD_URL: `${providersUrl}/task-board`,
    TASK_BOARD_TOKEN: secrets.taskBoardToken,
    TASK_BOARD_CALL_TIMEOUT_MS: String(callTimeoutMs),
    // So that a search that never shows anything is a person's within the run.
    TASK_BOARD_SEARCH_SETTLE_MS: "3000",
    OTEL_EXPORTER_OTLP_ENDPOINT: otlpEndpoint,
    // So that the page shows what just happened.
    OTEL_METRIC_EXPORT_INTERVAL: "2000",
  };
}
