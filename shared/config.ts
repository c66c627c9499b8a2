// The only reader of process.env: every setting of the app, checked once, refused by name.
//
// The app reads the same connection settings as the Functions bindings do, in the same two forms, and knows no
// "local": a connection string, or an identity (`ServiceBus__fullyQualifiedNamespace`, `Cosmos__accountEndpoint`).
// A value never appears in an error: a setting may be a secret.
import { z } from "zod";
import { ModelSettings, type ModelConfig } from "./agent/model-settings.ts";
import { TerminalFault } from "./domain/faults.ts";
import { tenantIdPattern } from "./domain/identity.ts";
import {
  payloadKeys,
  sealingKeyBytes,
  type PayloadKeys,
  type SealingKey,
} from "./domain/payload-keys.ts";
import { WebhookSources } from "./flow/intake/webhook-sources.ts";
import { Schedules } from "./flow/wake/schedules.ts";
import {
  providerGroups,
  providerSettingNames,
  requiredProviders,
  RequiredProviders,
  type ProviderGroups,
  type Providers,
} from "./provider-settings.ts";
import {
  telemetryOf,
  TelemetrySettings,
  type TelemetryConfig,
} from "./telemetry/telemetry-config.ts";

const json = z.string().transform((text, context) => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    context.addIssue({ code: "custom", message: "is not JSON" });
    return z.NEVER;
  }
});

const Settings = z.object({
  COSMOS_DATABASE: z.string().min(1).default("countersign"),
  CASE_ID_KEY: z.base64(),
  PAYLOAD_KEYS: z.string().optional(),
  WEBHOOK_SOURCES: json,
  SCHEDULES: json.default({}),
  APPROVALS: json.default({}),
  ...RequiredProviders.shape,
  DECIDER: z.enum(["rules", "model"]).default("rules"),
  TURN_BUDGET_MS: z.coerce.number().int().min(5000).max(240_000).default(90_000),
  ...TelemetrySettings.shape,
});

const Approvals = z.record(
  z.string().regex(tenantIdPattern, "use 1 to 64 of a-z, 0-9 and -"),
  z.array(z.string()),
);

export interface Config extends Providers {
  cosmos: { connectionString: string } | { accountEndpoint: string; clientId?: string };
  serviceBus: { connectionString: string } | { fullyQualifiedNamespace: string; clientId?: string };
  cosmosDatabase: string;
  caseIdKey: Uint8Array;
  /** Absent: no action may be sensitive. */
  payloadKeys?: PayloadKeys;
  webhookSources: WebhookSources;
  schedules: Schedules;
  /** By tenant, actions that a person must approve there; elsewhere the action's own word holds. */
  approvals: Readonly<Record<string, readonly string[]>>;
  /** Absent: the rules decide. */
  model?: ModelConfig;
  turnBudgetMs: number;
  /** Absent: nobody listens, and nothing is measured. */
  telemetry?: TelemetryConfig;
  /** Those of this app that are set; never a value. */
  settingNames: readonly string[];
  /** Set by the platform where Easy Auth is on; only there is a principal's header believed. */
  easyAuthIsOn: boolean;
  /** Which instance this is, by the platform's own name. */
  instanceId?: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

const caseIdKeyBytesMin = 32;

/** Throws a TerminalFault that names every setting that is missing or wrong. */
export function readConfig(environment: Environment = process.env): Config {
  const settings = parsed("", Settings.safeParse(environment));
  const sources = parsed("WEBHOOK_SOURCES.", WebhookSources.safeParse(settings.WEBHOOK_SOURCES));
  const schedules = parsed("SCHEDULES.", Schedules.safeParse(settings.SCHEDULES));
  const approvals = parsed("APPROVALS.", Approvals.safeParse(settings.APPROVALS));
  const caseIdKey = new Uint8Array(Buffer.from(settings.CASE_ID_KEY, "base64"));
  if (caseIdKey.length < caseIdKeyBytesMin) {
    throw new TerminalFault(
      `setting CASE_ID_KEY: give at least ${caseIdKeyBytesMin} bytes as base64.`,
    );
  }
  return {
    cosmos: cosmosConnection(environment),
    serviceBus: serviceBusConnection(environment),
    cosmosDatabase: settings.COSMOS_DATABASE,
    caseIdKey,
    ...payloadKeysOf(settings.PAYLOAD_KEYS, caseIdKey),
    webhookSources: sources,
    schedules,
    approvals,
    ...requiredProviders(settings),
    ...groupsOf(environment),
    ...(settings.DECIDER === "model" ? modelOf(environment, settings.TURN_BUDGET_MS) : {}),
    turnBudgetMs: settings.TURN_BUDGET_MS,
    ...telemetryOf(settings),
    settingNames: settingNamesOf(environment),
    easyAuthIsOn: environment["WEBSITE_AUTH_ENABLED"]?.toLowerCase() === "true",
    ...instanceOf(environment["WEBSITE_INSTANCE_ID"]),
  };
}

function instanceOf(instanceId: string | undefined): Pick<Config, "instanceId"> {
  return instanceId === undefined || instanceId === "" ? {} : { instanceId };
}

function settingNamesOf(environment: Environment): string[] {
  const own = [...Object.keys(Settings.shape), ...providerSettingNames];
  return Object.keys(environment)
    .filter((name) => own.includes(name) || /^(MODEL|(ServiceBus|Cosmos)(__|$))/.test(name))
    .toSorted();
}

/**
 * `2026-11:<base64 of 32 bytes>,2026-05:<...>`, the newest first: one secret of Key Vault, by a reference. To rotate, first
 * add the new key last, so that every instance can decrypt with it; once all have it, put it first.
 */
function payloadKeysOf(
  text: string | undefined,
  deploymentKey: Uint8Array,
): Pick<Config, "payloadKeys"> {
  if (text === undefined || text === "") return {};
  const refuse = (why: string): never => {
    throw new TerminalFault(`setting PAYLOAD_KEYS: ${why}.`);
  };
  if (text.startsWith("@Microsoft.KeyVault(")) {
    refuse("its Key Vault reference was not resolved; check the app's identity and the vault");
  }
  const keys = text.split(",").map((part, index): SealingKey => {
    const [, id, base64] = /^([a-z0-9-]{1,32}):([A-Za-z0-9+/]+={0,2})$/.exec(part.trim()) ?? [];
    // Told by its place: whoever forgets the name has put the key there.
    if (id === undefined || base64 === undefined) {
      return refuse(`key ${index + 1} must be <name>:<base64>, the name of a-z, 0-9 and -`);
    }
    const bytes = new Uint8Array(Buffer.from(base64, "base64"));
    if (bytes.length === sealingKeyBytes) return { id, bytes };
    return refuse(`key ${index + 1} must have ${sealingKeyBytes} bytes, in base64`);
  });
  if (new Set(keys.map(({ id }) => id)).size < keys.length) refuse("two keys have the same name");
  const [newest, ...older] = keys;
  if (newest === undefined) return {};
  return { payloadKeys: payloadKeys({ deploymentKey, sealing: [newest, ...older] }) };
}

/** Each that is given at all is given as a whole. */
function groupsOf(environment: Environment): ProviderGroups {
  const given = Object.entries(providerGroups).filter(([, group]) =>
    Object.keys(group.in.shape).some((name) => environment[name]),
  );
  return Object.fromEntries(
    given.map(([name, group]) => [name, parsed<unknown>("", group.safeParse(environment))]),
  );
}

function modelOf(environment: Environment, TURN_BUDGET_MS: number): Pick<Config, "model"> {
  return { model: parsed("", ModelSettings.safeParse({ ...environment, TURN_BUDGET_MS })) };
}

function parsed<Value>(prefix: string, result: z.ZodSafeParseResult<Value>): Value {
  if (result.success) return result.data;
  const wrong = result.error.issues.map((issue) => {
    const said = issue.code === "invalid_key" ? issue.issues.map(({ message }) => message) : [];
    return `${prefix}${issue.path.join(".")}: ${said.join("; ") || issue.message}`;
  });
  throw new TerminalFault(`settings are missing or wrong: ${wrong.join("; ")}.`);
}

function cosmosConnection(environment: Environment): Config["cosmos"] {
  const connectionString = environment["Cosmos"];
  if (connectionString !== undefined && connectionString !== "") return { connectionString };
  const accountEndpoint = environment["Cosmos__accountEndpoint"];
  if (accountEndpoint === undefined || accountEndpoint === "") {
    throw new TerminalFault(
      "set Cosmos (connection string) or Cosmos__accountEndpoint (identity).",
    );
  }
  const clientId = environment["Cosmos__clientId"];
  return { accountEndpoint, ...(clientId === undefined ? {} : { clientId }) };
}

function serviceBusConnection(environment: Environment): Config["serviceBus"] {
  const connectionString = environment["ServiceBus"];
  if (connectionString !== undefined && connectionString !== "") return { connectionString };
  const fullyQualifiedNamespace = environment["ServiceBus__fullyQualifiedNamespace"];
  if (fullyQualifiedNamespace === undefined || fullyQualifiedNamespace === "") {
    throw new TerminalFault(
      "set ServiceBus (connection string) or ServiceBus__fullyQualifiedNamespace (identity).",
    );
  }
  const clientId = environment["ServiceBus__clientId"];
  return { fullyQualifiedNamespace, ...(clientId === undefined ? {} : { clientId }) };
}
