// The built app on a local Azure, in one test: real SDKs, real sockets, real worker processes. What the world holds in the end is
// read from the providers' journal, from the app's own API, and from the servers' logs; nothing reaches into a stand-in.
import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { CosmosClient, type Container } from "@azure/cosmos";
import { Webhook } from "standardwebhooks";
import { localCosmos, type LocalCosmos } from "../../local/cosmos/faults.ts";
import { startCosmos } from "../../local/cosmos/server.ts";
import { startHost, type Host, type HostEvent, type Principal } from "../../local/host/server.ts";
import { providersClient, type ProvidersClient } from "../../local/providers/faults.ts";
import { startProviders } from "../../local/providers/server.ts";
import { serviceBusControl, type ServiceBusControl } from "../../local/service-bus/faults.ts";
import { startServiceBus } from "../../local/service-bus/server.ts";

const root = join(import.meta.dirname, "..", "..");
const callTimeoutMs = 1000;
const actions = [
  "portal.request_credit_note.v1",
  "portal.mark_invoice.v1",
  "email.send_notification.v1",
];

interface EffectView {
  operationId: string;
  action: string;
  status: string;
  providerKey?: string;
  receipt?: { stage: string; providerId: string };
  attempts: { end?: { kind: string } }[];
}

export interface CaseView {
  case: { status: string; version: number; caseId: string; held?: object };
  effects: EffectView[];
  events: { source: string; eventId: string; folded?: object }[];
  reviews: { kind: string; resolution?: object }[];
  log: { did: string[] }[];
}

export interface LocalWorld {
  cosmos: LocalCosmos;
  serviceBus: ServiceBusControl;
  serviceBusConnection: string;
  providers: ProvidersClient;
  host: Host;
  events: HostEvent[];
  exits: Extract<HostEvent, { kind: "workerExited" }>[];
  /** Posts a signed delivery; the answer's status. */
  post(delivery: Delivery): Promise<number>;
  raised(invoice: string): Delivery;
  view(invoice: string): Promise<CaseView | undefined>;
  /** Waits until the case is as the check wants it. */
  until(invoice: string, check: (view: CaseView) => boolean, withinMs?: number): Promise<CaseView>;
  /** Fires a function by hand, as an operator would. */
  fire(name: string): Promise<void>;
  /** The container `cases`, for a test that plants what the built app does not come to by itself. */
  cases<Result>(use: (cases: Container) => Promise<Result>): Promise<Result>;
  /** Every document of a case, as the database has it. */
  stored(caseId: string): Promise<Record<string, unknown>[]>;
  /** How often each action was applied for this invoice. */
  applied(invoice: string): Promise<Record<string, number>>;
  /** SIGKILL to every worker there is now; resolves when the host has seen them end. */
  kill(): Promise<void>;
  close(): Promise<void>;
}

export interface Delivery {
  /** "acme-erp" when there is none. */
  source?: string;
  id: string;
  type: string;
  timestamp: string;
  data: Record<string, string>;
}

export async function openLocalWorld(
  options: {
    workers?: number;
    settings?: Record<string, string>;
    /** Whom a request may choose to be, besides the admin that it is without a choice. */
    personas?: readonly Principal[];
    /** The built app of this project when absent. */
    appFolder?: string;
    nodePath?: string;
    /** While nobody works yet: what the queues hold then is there when the app begins. */
    beforeHost?: (serviceBusConnection: string) => Promise<void>;
  } = {},
): Promise<LocalWorld> {
  const folder = mkdtempSync(join(tmpdir(), "countersign-e2e-"));
  const entities = JSON.parse(readFileSync(join(root, "infra", "entities.json"), "utf8"));
  const [cosmos, serviceBus, providers] = await Promise.all([
    startCosmos({ dataFolder: join(folder, "cosmos"), entities: entities.cosmos }),
    startServiceBus({ dataFolder: join(folder, "service-bus"), entities: entities.serviceBus }),
    startProviders({ dataFolder: join(folder, "providers") }),
  ]);
  await grantAll(cosmos.connectionString);
  await options.beforeHost?.(serviceBus.connectionString);
  const secret = `whsec_${randomBytes(24).toString("base64")}`;
  const events: HostEvent[] = [];
  const exits: LocalWorld["exits"] = [];
  const host = await startHost({
    appFolder: options.appFolder ?? root,
    ...(options.nodePath === undefined ? {} : { nodePath: options.nodePath }),
    dataFolder: join(folder, "host"),
    workers: options.workers ?? 1,
    principal: { id: "e2e-admin", name: "E2E admin", roles: ["admin"] },
    personas: options.personas ?? [],
    settings: {
      ...settingsFor({ cosmos, serviceBus, providers }, secret),
      // The broker's management API speaks https, and vouches for itself.
      NODE_EXTRA_CA_CERTS: serviceBus.certificate.path,
      ...options.settings,
    },
    onEvent(event) {
      events.push(event);
      if (event.kind === "workerExited") exits.push(event);
    },
  });
  const client = providersClient(providers.url);
  const world: LocalWorld = {
    cosmos: localCosmos(cosmos.endpoint),
    serviceBus: serviceBusControl(serviceBus.controlUrl),
    serviceBusConnection: serviceBus.connectionString,
    providers: client,
    host,
    events,
    exits,
    post: (delivery) => post(host.url, secret, delivery),
    raised,
    view: (invoice) => view(host, invoice),
    until: (invoice, check, withinMs) => until(world, invoice, { check, withinMs }),
    async fire(name) {
      const response = await fetch(`${host.url}/admin/functions/${name}`, {
        method: "POST",
        headers: { "x-functions-key": host.keys.master, "content-type": "application/json" },
        body: JSON.stringify({ input: "" }),
      });
      if (response.status !== 202) throw new Error(`${name}: ${response.status}`);
    },
    async cases(use) {
      const client = new CosmosClient(cosmos.connectionString);
      const used = await use(client.database("countersign").container("cases"));
      client.dispose();
      return used;
    },
    async stored(caseId) {
      const query = "SELECT * FROM c WHERE c.caseId = @caseId";
      const parameters = [{ name: "@caseId", value: caseId }];
      return world.cases(
        async ({ items }) => (await items.query({ query, parameters }).fetchAll()).resources,
      );
    },
    async applied(invoice) {
      const counts: Record<string, number> = {};
      for (const entry of await client.journal()) {
        const isOurs = entry.target === invoice || entry.target === ownerOf(invoice);
        if (entry.event !== "applied" || !isOurs) continue;
        counts[entry.action] = (counts[entry.action] ?? 0) + 1;
      }
      return counts;
    },
    async kill() {
      const pids = host.workers().map(({ pid }) => pid);
      for (const pid of pids) process.kill(pid, "SIGKILL");
      await waitUntil("the workers have ended", () =>
        pids.every((pid) => exits.some((exit) => exit.pid === pid)),
      );
    },
    async close() {
      await host.close();
      await Promise.all([cosmos.close(), serviceBus.close(), providers.close()]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return world;
}

function settingsFor(
  servers: {
    cosmos: { connectionString: string };
    serviceBus: { connectionString: string };
    providers: { url: string };
  },
  secret: string,
): Record<string, string> {
  const { cosmos, serviceBus, providers } = servers;
  return {
    WEBSITE_AUTH_ENABLED: "True",
    ServiceBus: serviceBus.connectionString,
    Cosmos: cosmos.connectionString,
    COSMOS_DATABASE: "countersign",
    CASE_ID_KEY: randomBytes(32).toString("base64"),
    PAYLOAD_KEYS: `test-1:${randomBytes(32).toString("base64")}`,
    WEBHOOK_SOURCES: JSON.stringify({
      "acme-erp": {
        tenantId: "acme",
        workflow: "invoice-exception",
        secrets: [{ name: "s1", secret }],
      },
      "acme-portal": {
        tenantId: "acme",
        provider: "supplier-portal",
        secrets: [{ name: "s1", secret }],
      },
    }),
    SUPPLIER_PORTAL_URL: `${providers.url}/supplier-portal`,
    SUPPLIER_PORTAL_TOKEN: "portal-token",
    SUPPLIER_PORTAL_CALL_TIMEOUT_MS: String(callTimeoutMs),
    EMAIL_URL: `${providers.url}/email`,
    EMAIL_TOKEN: "email-token",
    EMAIL_FROM: "ap@countersign.example",
    EMAIL_CALL_TIMEOUT_MS: String(callTimeoutMs),
  };
}

async function grantAll(connectionString: string): Promise<void> {
  const client = new CosmosClient(connectionString);
  const grants = client.database("countersign").container("grants");
  for (const action of actions) {
    await grants.items.create({
      id: `grant:acme:${action}`,
      tenantId: "acme",
      type: "grant",
      schemaVersion: 1,
      subject: "invoice-exception",
      action,
      target: "*",
      limits: {},
      grantedBy: "test",
      grantedAtMs: 0,
    });
  }
  client.dispose();
}

const ownerOf = (invoice: string) =>
  `owner-${invoice.toLowerCase().replaceAll(/[^a-z0-9-]/g, "")}@acme.example`;

function raised(invoice: string): Delivery {
  return {
    id: `raised-${invoice}`,
    type: "invoice.exception.raised",
    timestamp: "2026-11-29T10:00:00Z",
    data: {
      invoice,
      supplier: "Contoso Paper",
      supplierAccount: "SUP-77",
      currency: "EUR",
      billed: "1249.00",
      ordered: "1199.00",
      reason: "price_variance",
      accountOwnerEmail: ownerOf(invoice),
    },
  };
}

async function post(url: string, secret: string, delivery: Delivery): Promise<number> {
  const { id, source = "acme-erp", ...event } = delivery;
  const body = JSON.stringify(event);
  const at = new Date();
  const response = await fetch(`${url}/api/webhooks/${source}`, {
    method: "POST",
    body,
    headers: {
      "webhook-id": id,
      "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
      "webhook-signature": new Webhook(secret).sign(id, at, body),
    },
  });
  await response.arrayBuffer();
  return response.status;
}

async function view(host: Host, invoice: string): Promise<CaseView | undefined> {
  const response = await fetch(
    `${host.url}/api/cases/acme?externalRef=${encodeURIComponent(invoice)}`,
  );
  const body: unknown = await response.json().catch(() => undefined);
  return response.ok ? (body as CaseView) : undefined;
}

async function until(
  world: LocalWorld,
  invoice: string,
  { check, withinMs }: { check: (view: CaseView) => boolean; withinMs: number | undefined },
): Promise<CaseView> {
  let last: CaseView | undefined;
  await waitUntil(
    () =>
      `${invoice}: ${JSON.stringify(last?.case)} ${JSON.stringify(last?.log.map(({ did }) => did))}`,
    async () => {
      last = await world.view(invoice);
      return last !== undefined && check(last);
    },
    withinMs,
  );
  if (last === undefined) throw new Error(`no case ${invoice}`);
  return last;
}

/** Polls a condition; a failure says what it waited for. */
export async function waitUntil(
  what: string | (() => string),
  condition: () => boolean | Promise<boolean>,
  withinMs = 25_000,
): Promise<void> {
  const endMs = performance.now() + withinMs;
  while (!(await condition())) {
    if (performance.now() > endMs) {
      throw new Error(`not within ${withinMs} ms: ${typeof what === "string" ? what : what()}`);
    }
    await delay(50);
  }
}

export const isDone = ({ case: record, effects }: CaseView): boolean =>
  record.status === "credit_requested" &&
  effects.every(({ status }) => status === "confirmed" || status === "unknown");
