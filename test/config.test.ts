// Settings that need more than a schema: refused by name, and never with a value.
import { describe, expect, test } from "vitest";
import { readConfig } from "../shared/config.ts";

const required = {
  ServiceBus: "Endpoint=sb://x",
  Cosmos: "AccountEndpoint=https://x",
  CASE_ID_KEY: Buffer.alloc(32).toString("base64"),
  WEBHOOK_SOURCES: "{}",
  SUPPLIER_PORTAL_URL: "https://portal.example",
  SUPPLIER_PORTAL_TOKEN: "t",
  EMAIL_URL: "https://mail.example",
  EMAIL_TOKEN: "t",
  EMAIL_FROM: "ap@example.com",
};
const onboarding = {
  CRM_URL: "https://crm.example",
  CRM_TOKEN: "crm-secret",
  TASK_BOARD_URL: "https://tasks.example",
  TASK_BOARD_TOKEN: "board-secret",
};

describe("the settings of customer-onboarding", () => {
  test("may all be absent: the app then knows no onboarding", () => {
    expect(readConfig(required).onboarding).toBeUndefined();
  });

  test("are read as a group, with defaults for its times", () => {
    expect(readConfig({ ...required, ...onboarding }).onboarding).toEqual({
      crm: { baseUrl: "https://crm.example", token: "crm-secret", callTimeoutMs: 10_000 },
      taskBoard: {
        baseUrl: "https://tasks.example",
        token: "board-secret",
        callTimeoutMs: 10_000,
        searchSettleMs: 120_000,
      },
    });
  });

  test.each(Object.keys(onboarding))(
    "are refused without %s, by name, and repeat no value",
    (name) => {
      const half = { ...required, ...onboarding, [name]: undefined };
      expect(() => readConfig(half)).toThrow(name);
      expect(() => readConfig(half)).not.toThrow(/secret/);
    },
  );
});

describe("the token of a provider", () => {
  test.each(["SUPPLIER_PORTAL_TOKEN", "EMAIL_TOKEN", "CRM_TOKEN", "TASK_BOARD_TOKEN"])(
    "%s is refused by name when its reference was not resolved, or it could be no header",
    (name) => {
      for (const text of [
        "@Microsoft.KeyVault(SecretUri=https://v.vault.azure.net/secrets/s-s-s)",
        "s-s-s\n",
        "s-s-s s",
      ]) {
        const wrong = { ...required, ...onboarding, [name]: text };
        expect(() => readConfig(wrong)).toThrow(`${name}: `);
        expect(() => readConfig(wrong)).not.toThrow(/s-s-s/);
      }
    },
  );
});

describe("the keys of sensitive payloads", () => {
  const base64 = (fill: string, bytes = 32) => Buffer.alloc(bytes, fill).toString("base64");
  const keysIn = (PAYLOAD_KEYS: string) => readConfig({ ...required, PAYLOAD_KEYS }).payloadKeys;
  const place = { tenantId: "acme", caseId: "c", operationId: "o" };

  test("may be absent: then no action may be sensitive", () => {
    expect(readConfig(required).payloadKeys).toBeUndefined();
    expect(keysIn("")).toBeUndefined();
  });

  test("are several, the newest first: it encrypts, and all decrypt", () => {
    const before = keysIn(`2026-05:${base64("a")}`);
    const rotated = keysIn(`2026-11:${base64("b")}, 2026-05:${base64("a")}`);
    if (before === undefined || rotated === undefined) throw new Error("no keys");
    expect(rotated.seal(place, "x").keyId).toBe("2026-11");
    expect(rotated.open(place, before.seal(place, "x"))).toEqual({ kind: "opened", text: "x" });
    expect(rotated.digest("x")).toBe(before.digest("x"));
  });

  test.each([
    ["a key of another length", `k1:${base64("s", 16)}`, "key 1 must have 32 bytes"],
    ["a second key of another length", `k1:${base64("s")},k2:${base64("s", 33)}`, "key 2 must"],
    ["a key without its name", base64("s"), "key 1 must be <name>:<base64>"],
    ["no base64", "k1:s-s-s", "key 1 must be <name>:<base64>"],
    ["two of one name", `k1:${base64("s")},k1:${base64("s")}`, "two keys have the same name"],
    ["nothing after a comma", `k1:${base64("s")},`, "key 2 must be"],
    [
      "a reference that Azure did not resolve",
      "@Microsoft.KeyVault(SecretUri=https://v.vault.azure.net/secrets/s-s-s)",
      "its Key Vault reference was not resolved",
    ],
  ])("are refused for %s, by the setting's name and never by its value", (_what, text, why) => {
    expect(() => keysIn(text)).toThrow(`setting PAYLOAD_KEYS: ${why}`);
    expect(() => keysIn(text)).not.toThrow(/c3Nz|s-s-s/);
  });
});

describe("the settings of the model", () => {
  const model = {
    DECIDER: "model",
    MODEL_ENDPOINT: "https://x.openai.azure.com/openai/v1",
    MODEL_NAME: "deployment",
    MODEL_API_KEY: "model-secret",
  };

  test("are not read while the rules decide, which is the default", () => {
    expect(readConfig(required).model).toBeUndefined();
    expect(readConfig({ ...required, ...model, DECIDER: "rules" }).model).toBeUndefined();
  });

  test("are read with defaults for time and repairs, which fit into a turn", () => {
    expect(readConfig({ ...required, ...model }).model).toEqual({
      baseUrl: model.MODEL_ENDPOINT,
      model: "deployment",
      access: { key: "model-secret" },
      callTimeoutMs: 20_000,
      repairsMax: 2,
    });
  });

  test("without a key mean the app's own identity, or the one that is named", () => {
    const MODEL_CLIENT_ID = "11111111-2222-4333-8444-555555555555";
    const own = { ...required, ...model, MODEL_API_KEY: "" };
    expect(readConfig(own).model?.access).toEqual({});
    expect(readConfig({ ...own, MODEL_CLIENT_ID }).model?.access).toEqual({
      clientId: MODEL_CLIENT_ID,
    });
  });

  test.each<[string, Record<string, string | undefined>]>([
    ["DECIDER", { DECIDER: "oracle" }],
    ["MODEL_ENDPOINT", { MODEL_ENDPOINT: undefined }],
    ["MODEL_ENDPOINT", { MODEL_ENDPOINT: "ftp://x/v1" }],
    ["MODEL_ENDPOINT", { MODEL_ENDPOINT: "https://me:model-secret@x/v1" }],
    ["MODEL_ENDPOINT", { MODEL_ENDPOINT: "https://x/v1?api-version=2024-10-21" }],
    ["MODEL_ENDPOINT", { MODEL_ENDPOINT: "https://x.openai.azure.com/" }],
    ["MODEL_NAME", { MODEL_NAME: "" }],
    ["MODEL_API_KEY", { MODEL_API_KEY: "model-secret\nx: y" }],
    ["MODEL_API_KEY", { MODEL_API_KEY: undefined, MODEL_ENDPOINT: "https://api.example/v1" }],
    ["MODEL_API_KEY", { MODEL_API_KEY: "", MODEL_ENDPOINT: "https://evilazure.com/openai/v1" }],
    ["MODEL_API_KEY", { MODEL_API_KEY: "", MODEL_ENDPOINT: "http://x.azure.com/openai/v1" }],
    // Anybody's virtual machine has such a name.
    [
      "MODEL_API_KEY",
      { MODEL_API_KEY: "", MODEL_ENDPOINT: "https://x.westeurope.cloudapp.azure.com/openai/v1" },
    ],
    ["MODEL_CLIENT_ID", { MODEL_CLIENT_ID: "11111111-2222-4333-8444-555555555555" }],
    ["MODEL_CLIENT_ID", { MODEL_API_KEY: "", MODEL_CLIENT_ID: "me" }],
    ["MODEL_CALL_TIMEOUT_MS", { MODEL_CALL_TIMEOUT_MS: "0" }],
    ["MODEL_CALL_TIMEOUT_MS", { MODEL_CALL_TIMEOUT_MS: "24001" }],
    ["MODEL_REPAIRS_MAX", { MODEL_CALL_TIMEOUT_MS: "24000", MODEL_REPAIRS_MAX: "3" }],
    ["MODEL_REPAIRS_MAX", { TURN_BUDGET_MS: "30000" }],
    ["MODEL_REPAIRS_MAX", { MODEL_REPAIRS_MAX: "-1" }],
    ["OPENAI_CUSTOM_HEADERS", { OPENAI_CUSTOM_HEADERS: "authorization: secret" }],
  ])("are refused, naming %s, when given %j", (name, change) => {
    const wrong = { ...required, ...model, ...change };
    expect(() => readConfig(wrong)).toThrow(name);
    expect(() => readConfig(wrong)).not.toThrow(/secret/);
  });
});

describe("the names of the settings", () => {
  test("are those of this app that are set, without a value", () => {
    const { settingNames } = readConfig({ ...required, PATH: "/bin", MODEL_NAME: "m" });
    expect(settingNames).toEqual([...Object.keys(required), "MODEL_NAME"].toSorted());
  });
});

test("approvals are read by tenant, and refused by name", () => {
  const of = (APPROVALS: string) => readConfig({ ...required, APPROVALS }).approvals;
  expect(of('{"acme":["a.b.v1"]}')).toEqual({ acme: ["a.b.v1"] });
  expect(() => of('{"acme":"a.b.v1"}')).toThrow("APPROVALS.acme");
  // Of a name that no tenant can have, nobody would ever be asked.
  expect(() => of('{"Acme":["a.b.v1"]}')).toThrow("APPROVALS.Acme: use 1 to 64 of a-z, 0-9 and -");
});

describe("the settings of telemetry", () => {
  const telemetryIn = (settings: Record<string, string>) =>
    readConfig({ ...required, ...settings }).telemetry;
  const connectionString = "InstrumentationKey=k;IngestionEndpoint=https://i.example/";

  test("may all be absent or empty: then nothing is measured", () => {
    expect(telemetryIn({})).toBeUndefined();
    const empty = { APPLICATIONINSIGHTS_CONNECTION_STRING: "", OTEL_EXPORTER_OTLP_ENDPOINT: "" };
    expect(telemetryIn(empty)).toBeUndefined();
  });

  test.each([
    ["", undefined],
    ["Authorization=AAD", {}],
    ["ClientId=c-1;Authorization=AAD", { clientId: "c-1" }],
    ["authorization=aad; clientid=c-1", { clientId: "c-1" }],
    ["ClientId=c-1", undefined],
  ])("name the identity that Application Insights is shown: %j", (text, identity) => {
    const settings = {
      APPLICATIONINSIGHTS_CONNECTION_STRING: connectionString,
      APPLICATIONINSIGHTS_AUTHENTICATION_STRING: text,
    };
    expect(telemetryIn(settings)).toEqual({
      azureMonitor: { connectionString, ...(identity === undefined ? {} : { identity }) },
      exportIntervalMs: 60_000,
      traceRatio: 1,
    });
  });

  test.each([
    [undefined, 1],
    ["", 1],
    ["0", 0],
    ["0.05", 0.05],
  ])("say which share of traces is told, all of them where nothing is set: %j", (text, ratio) => {
    const set = text === undefined ? {} : { TRACE_RATIO: text };
    const told = telemetryIn({ APPLICATIONINSIGHTS_CONNECTION_STRING: connectionString, ...set });
    expect(told?.traceRatio).toBe(ratio);
  });

  test("are refused by name", () => {
    for (const TRACE_RATIO of ["10", "-1", "some"]) {
      expect(() => telemetryIn({ TRACE_RATIO })).toThrow(/TRACE_RATIO/);
    }
    expect(() => telemetryIn({ OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4318 secret" })).toThrow(
      /OTEL_EXPORTER_OTLP_ENDPOINT/,
    );
    expect(() => telemetryIn({ OTEL_METRIC_EXPORT_INTERVAL: "1" })).toThrow(
      /OTEL_METRIC_EXPORT_INTERVAL/,
    );
  });
});
