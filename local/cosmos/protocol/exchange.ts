// One request and its reply, as the handlers see them: no sockets, no Node types.
import type { Container } from "../store/catalog.ts";

export type RequestKind =
  | "read"
  | "create"
  | "upsert"
  | "replace"
  | "patch"
  | "delete"
  | "batch"
  | "query"
  | "queryPlan"
  | "feed"
  | "metadata";

export interface CosmosRequest {
  method: string;
  /** Decoded path segments, such as ["dbs", "countersign", "colls", "cases"]. */
  segments: string[];
  header(name: string): string | undefined;
  body: string;
  activityId: string;
  /** Where the client believes the server is: it follows the account's answer. */
  origin: string;
  /** How many transactions this read lags behind, by a fault rule. */
  staleTransactions: number;
}

export interface OperationRecord {
  operation: string;
  id: string;
  status: number;
}

export interface Reply {
  status: number;
  body?: string;
  headers?: Record<string, string | number>;
  charge: number;
  container?: Container;
  /** Range of the partition that answered; without it the token names every range. */
  rangeId?: string;
  operations?: OperationRecord[];
}

export function json(status: number, value: unknown, charge = 1): Reply {
  return { status, body: JSON.stringify(value), charge };
}
