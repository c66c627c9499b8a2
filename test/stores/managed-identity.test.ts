// The app's stores by an identity instead of keys: the credential chain asks the endpoint that App Service offers, and both
// services take its tokens, over TLS, each only those that are made for it.
import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { ServiceBusClient } from "@azure/service-bus";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import entities from "../../infra/entities.json" with { type: "json" };
import { startCosmos, type RunningCosmos } from "../../local/cosmos/server.ts";
import { startServiceBus, type ServiceBus } from "../../local/service-bus/server.ts";
import { azureToken } from "../../shared/agent/azure-token.ts";
import { caseKeyText } from "../../shared/domain/identity.ts";
import { assertSafeAccount, openCosmos, openServiceBus } from "../../shared/stores/connections.ts";
import { cosmosCases } from "../../shared/stores/cosmos-cases.ts";
import { serviceBusHints } from "../../shared/stores/service-bus-hints.ts";
import { queueManagement } from "../../shared/stores/service-bus-settings.ts";
import { CERTIFICATE, PRIVATE_KEY } from "../local/cosmos/service/loopback-certificate.ts";
import { startManagedIdentity, tokenFor, type ManagedIdentity } from "../local/managed-identity.ts";
import { aBatch, committed, newCaseKey } from "./documents.ts";

let folder: string;
let identity: ManagedIdentity;
let cosmos: RunningCosmos;
let bus: ServiceBus;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "identity-"));
  const tls = { key: PRIVATE_KEY, cert: CERTIFICATE };
  [identity, cosmos, bus] = await Promise.all([
    startManagedIdentity(),
    startCosmos({
      dataFolder: join(folder, "cosmos"),
      entities: entities.cosmos,
      tls,
      acceptBearerTokens: true,
    }),
    startServiceBus({ dataFolder: join(folder, "bus"), entities: entities.serviceBus }),
  ]);
  setDefaultCACertificates([...getCACertificates(), CERTIFICATE, bus.certificate.text]);
  for (const [name, value] of Object.entries(identity.environment)) vi.stubEnv(name, value);
});
afterEach(() => void identity.asked.splice(0));
afterAll(async () => {
  vi.unstubAllEnvs();
  await Promise.all([cosmos.close(), bus.close()]);
  identity.close();
  await rm(folder, { recursive: true, force: true });
});

const fullyQualifiedNamespace = () => `localhost:${bus.port}`;
const withoutSlash = (url: string) => url.replace(/\/+$/, "");
const asked = () => [
  ...new Set(
    identity.asked.map(({ clientId, resource }) => `${withoutSlash(resource)} ${clientId ?? "-"}`),
  ),
];

const clientId = "00000000-0000-4000-8000-00000000c11e";

describe.each([
  ["whatever identity this machine has", "-", {}],
  ["a user-assigned identity", clientId, { clientId }],
])("by %s", (_name, who, named) => {
  test("Cosmos DB is opened with a token for that very account, and keeps what is written", async () => {
    const client = openCosmos({ accountEndpoint: cosmos.endpoint, ...named });
    await assertSafeAccount(client);
    const cases = cosmosCases(client.database("countersign").container("cases"));
    const key = newCaseKey();
    await committed(cases, aBatch(key));
    expect((await cases.read(key)).snapshot.case).toMatchObject(key);
    expect(asked()).toEqual([`${withoutSlash(cosmos.endpoint)} ${who}`]);
    client.dispose();
  });

  test("Service Bus takes hints, gives them, and tells its counts, with tokens for Service Bus", async () => {
    const connection = { fullyQualifiedNamespace: fullyQualifiedNamespace(), ...named };
    const client = openServiceBus(connection);
    const key = newCaseKey();
    await serviceBusHints(client).send("cases", { ...key, hintId: caseKeyText(key), reason: "t" });
    const management = queueManagement(connection);
    expect(await management.counts(["cases"])).toMatchObject([{ name: "cases", active: 1 }]);
    const receiver = await client.acceptSession("cases", caseKeyText(key));
    const [message] = await receiver.receiveMessages(1);
    expect(message?.body).toMatchObject({ reason: "t" });
    if (message !== undefined) await receiver.completeMessage(message);
    await client.close();
    expect(asked()).toEqual([`https://servicebus.azure.net ${who}`]);
  });

  test("a model is shown a token for Azure's model services", async () => {
    const [, claims = ""] = (await azureToken(named)()).split(".");
    const { aud } = JSON.parse(Buffer.from(claims, "base64url").toString()) as { aud: string };
    expect(aud).toBe("https://ai.azure.com");
    expect(asked()).toEqual([`https://ai.azure.com ${who}`]);
  });
});

test("the app starts on the settings that a deployment gives it, no key among them", async () => {
  const settings = {
    Cosmos__accountEndpoint: cosmos.endpoint,
    Cosmos__credential: "managedidentity",
    Cosmos__clientId: clientId,
    ServiceBus__fullyQualifiedNamespace: fullyQualifiedNamespace(),
    ServiceBus__credential: "managedidentity",
    ServiceBus__clientId: clientId,
    COSMOS_DATABASE: "countersign",
    CASE_ID_KEY: randomBytes(32).toString("base64"),
    PAYLOAD_KEYS: `one:${randomBytes(32).toString("base64")}`,
    WEBHOOK_SOURCES: "{}",
    SUPPLIER_PORTAL_URL: "https://portal.example",
    SUPPLIER_PORTAL_TOKEN: "t",
    EMAIL_URL: "https://mail.example",
    EMAIL_TOKEN: "t",
    EMAIL_FROM: "ap@example.com",
  };
  for (const [name, value] of Object.entries(settings)) vi.stubEnv(name, value);
  const { runtime } = await import("../../shared/runtime.ts");
  const ports = (await runtime()).turn({ info() {}, warn() {}, error() {} });
  const key = newCaseKey();
  await committed(ports.cases, aBatch(key));
  await ports.hints.send("cases", { ...key, hintId: caseKeyText(key), reason: "t" });
  const management = queueManagement({ fullyQualifiedNamespace: fullyQualifiedNamespace() });
  expect(await management.counts(["cases"])).toMatchObject([{ active: 1 }]);
});

describe("a token that is not for Service Bus", () => {
  test.each([
    ["for another service", () => tokenFor("https://cosmos.azure.com")],
    ["that has expired", () => tokenFor("https://servicebus.azure.net", -60)],
    ["that is none", () => "local"],
  ])("%s is refused", async (_name, make) => {
    const credential = {
      getToken: async () => ({ token: make(), expiresOnTimestamp: Date.now() + 3_600_000 }),
    };
    const client = new ServiceBusClient(fullyQualifiedNamespace(), credential, {
      retryOptions: { maxRetries: 0 },
    });
    const sent = client.createSender("cases").sendMessages({ body: 1, sessionId: "a" });
    await expect(sent).rejects.toMatchObject({ code: "UnauthorizedAccess" });
    await client.close();
  });
});
