// A providers server in a folder of its own, and the calls that the app would make to it.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { providersClient } from "../../../local/providers/faults.ts";
import type { Entry, ProvidersClient } from "../../../local/providers/faults.ts";
import { startProviders } from "../../../local/providers/server.ts";

export const note = {
  invoice: "INV-1",
  amount: "50.00",
  currency: "EUR",
  reason: "price_variance",
  operation: "op-1",
};

export interface World {
  url: string;
  dataFolder: string;
  local: ProvidersClient;
  /** What was applied, in order. */
  applied: () => Promise<Entry[]>;
  /** Asks for a credit note; a string body is sent as it is. */
  credit: (key: string, body?: unknown, account?: string) => Promise<Response>;
  mark: (key: string, invoice: string, body?: unknown) => Promise<Response>;
  email: (to: string) => Promise<Response>;
  close: () => Promise<void>;
}

export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "providers-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

export function worldAt(url: string, dataFolder: string, close: () => Promise<void>): World {
  const local = providersClient(url);
  const post = (path: string, body: unknown, headers: Record<string, string>): Promise<Response> =>
    fetch(`${url}${path}`, {
      method: "POST",
      redirect: "manual",
      headers: { authorization: "Bearer token", ...headers },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
  return {
    url,
    dataFolder,
    local,
    close,
    applied: async () => (await local.journal()).filter(({ event }) => event === "applied"),
    credit: (key, body = note, account = "acme") =>
      post(`/supplier-portal/v1/accounts/${account}/credit-notes`, body, {
        "idempotency-key": key,
      }),
    mark: (key, invoice, body = { state: "approved", operation: "op-2" }) =>
      post(`/supplier-portal/v1/accounts/acme/invoices/${encodeURIComponent(invoice)}/mark`, body, {
        "idempotency-key": key,
      }),
    email: (to) =>
      post(
        "/email/v1/messages",
        {
          from: "ap@example.com",
          to,
          subject: "Credit note requested",
          text: "It was.",
          headers: { "X-Operation-Id": "op-3" },
        },
        {},
      ),
  };
}

export async function startWorld(
  options: { dataFolder?: string; keyRetentionMs?: number } = {},
): Promise<World> {
  const dataFolder = options.dataFolder ?? (await temporaryFolder());
  const providers = await startProviders({ ...options, dataFolder });
  let closed = false;
  const close = async (): Promise<void> => {
    if (closed) return;
    closed = true;
    await providers.close();
  };
  onTestFinished(close);
  return worldAt(providers.url, dataFolder, close);
}
