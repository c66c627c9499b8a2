// What the API answers about providers' reports; /api/openapi.json has it in full.
export interface Report {
  id: string;
  tenantId: string;
  provider: string;
  source: string;
  eventId: string;
  about:
    | { kind: "operation"; caseKey: string; operationId: string }
    | { kind: "providerKey"; providerKey: string };
  providerId: string;
  stage: string;
  target?: string;
  receivedAtMs: number;
  looks: number;
  retryAtMs?: number;
  outcome?: { kind: string; atMs: number; found: number };
}
export interface Reports {
  reports: Report[];
  isMore: boolean;
}
