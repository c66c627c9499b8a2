// What is deployed is what the app reads and needs: settings, entities, rights, alerts; and no key anywhere.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { bicepFile, bicepFiles, infra, membersOf, nodesOf, objectOf } from "./bicep.ts";

const root = join(infra, "..");
const source = (path: string) => readFileSync(join(root, path), "utf8");
const json = (path: string) => JSON.parse(source(path)) as unknown;

describe("the settings", () => {
  const app = bicepFile("app/function-app.bicep");
  const settingsIn = (name: string) => [...membersOf(objectOf(app, name)).keys()];

  test("that the app reads are the settings that Bicep sets", () => {
    const sources = [
      "shared/config.ts",
      "shared/agent/model-settings.ts",
      "shared/telemetry/telemetry-config.ts",
      "shared/provider-settings.ts",
    ]
      .map(source)
      .join("");
    const read = [...sources.matchAll(/^ +([A-Z][A-Z_]+): |"((?:Cosmos|ServiceBus)__\w+)"/gm)].map(
      ([, setting, connection]) => setting ?? connection ?? "",
    );
    // Only refused, never set.
    const refused = ["OPENAI_CUSTOM_HEADERS"];
    // The bindings read these two; the platform itself sets WEBSITE_AUTH_ENABLED.
    const bindings = ["Cosmos__credential", "ServiceBus__credential"];
    // The platform's own, of which the app reads only where its telemetry goes.
    const platform = settingsIn("platformSettings").filter((name) => read.includes(name));
    const own = nodesOf(app.root, "variable_declaration")
      .map((node) => node.namedChildren[0]?.text ?? "")
      .filter((name) => name.endsWith("Settings") && name !== "platformSettings")
      .flatMap(settingsIn);
    const set = [...own, ...platform];
    expect(set.toSorted(), "set it in infra/app/function-app.bicep").toEqual(
      [...new Set([...read, ...bindings])].filter((name) => !refused.includes(name)).toSorted(),
    );
  });

  test("hold no secret: each one that is secret is a Key Vault reference, and the script writes it", () => {
    const prepared = source("infra/scripts/prepare-secrets.mjs");
    const values = [...app.text.matchAll(/^ {2}([A-Z_]+): (.*)$/gm)];
    const secretNames = values.filter(([, name]) => /_(TOKEN|KEY|KEYS|SOURCES)$/.test(name ?? ""));
    expect(secretNames.length).toBeGreaterThanOrEqual(6);
    for (const [, name, value = ""] of secretNames) {
      const secret = /secret\(keyVaultName, '([a-z-]+)'\)/.exec(value)?.[1];
      expect([name, secret !== undefined && prepared.includes(`"${secret}"`)]).toEqual([
        name,
        true,
      ]);
    }
  });

  test("that Flex Consumption forbids are not set", () => {
    const forbidden =
      /FUNCTIONS_WORKER_RUNTIME|FUNCTIONS_EXTENSION_VERSION|WEBSITE_RUN_FROM_PACKAGE|WEBSITE_CONTENT|SCM_DO_BUILD|ENABLE_ORYX|WEBSITE_TIME_ZONE|WEBSITE_NODE_DEFAULT_VERSION/;
    expect(app.text).not.toMatch(forbidden);
  });
});

describe("the entities", () => {
  test("come from infra/entities.json in Bicep as in the local Azure", () => {
    for (const path of ["app/cosmos.bicep", "app/service-bus.bicep"]) {
      expect(bicepFile(path).text).toContain("loadJsonContent('../entities.json')");
    }
    expect(source("local/start/azure/local-azure.ts")).toContain("infra/entities.json");
  });

  test("are the ones that the functions are triggered by, with sessions and leases as they need", () => {
    const entities = json("infra/entities.json") as {
      serviceBus: { queues: { name: string; requiresSession: boolean }[] };
      cosmos: { containers: { id: string; partitionKey: { paths: string[] } }[] };
    };
    const functions = globSync("functions/*.ts", { cwd: root }).map(source).join("\n");
    const queues = [...functions.matchAll(/queueName: "([^"]+)"/g)].map(([, name]) => name ?? "");
    expect(entities.serviceBus.queues.map(({ name }) => name).toSorted()).toEqual(
      queues.toSorted(),
    );
    expect(entities.serviceBus.queues.every(({ requiresSession }) => requiresSession)).toBe(true);
    const leases = entities.cosmos.containers.find(({ id }) => id === "leases");
    expect(leases?.partitionKey.paths).toEqual(["/id"]);
    expect(functions).not.toMatch(/createLeaseContainerIfNotExists: true/);
  });
});

/** Every role the template gives, and the trigger or the import that needs it. */
const needs: Record<string, { role: string; isNeeded: () => boolean }> = {
  "storage.bicep": {
    role: "b7e6dc6d-f1e8-4753-8033-0f276bb0955b",
    isNeeded: () => /app\.timer\(/.test(functionSources()),
  },
  "service-bus.bicep": {
    role: "090c5cfd-751d-490a-894a-3ce6f1109419",
    isNeeded: () => /app\.serviceBusQueue\(/.test(functionSources()),
  },
  "cosmos.bicep": {
    role: "00000000-0000-0000-0000-000000000002",
    isNeeded: () => /app\.cosmosDB\(/.test(functionSources()),
  },
  "monitoring.bicep": {
    role: "3913510d-42f4-4e42-8a64-420c390055eb",
    isNeeded: () => bicepFile("app/function-app.bicep").text.includes("Authorization=AAD"),
  },
  "key-vault.bicep": {
    role: "4633458b-17de-408a-b874-0445c86b69e6",
    isNeeded: () => bicepFile("app/function-app.bicep").text.includes("@Microsoft.KeyVault("),
  },
  "open-ai-access.bicep": {
    role: "5e0bd9bd-7b93-4f28-af87-19fc36ad61bd",
    isNeeded: () => /MODEL_ENDPOINT/.test(source("shared/agent/model-settings.ts")),
  },
};
/** The one right that is not the app's: whoever deploys may write secrets. */
const deployerRole = "b86a8fe4-44ce-4948-aee5-eccb2c155cd7";

function functionSources(): string {
  return globSync("functions/*.ts", { cwd: root }).map(source).join("\n");
}

describe("the rights", () => {
  test("are each needed by some function, and every function's needs are met", () => {
    const given = bicepFiles
      .filter(({ text }) => /(r|sqlR)oleAssignments@/.test(text))
      .map(({ path, text }) => [
        path.replace("app/", ""),
        [...text.matchAll(/^var \w+ = '([0-9a-f-]{36})'$/gm)].map(([, role]) => role),
      ]);
    expect(Object.fromEntries(given)).toEqual(
      Object.fromEntries(
        Object.entries(needs).map(([path, { role }]) => [
          path,
          path === "key-vault.bicep" ? [role, deployerRole] : [role],
        ]),
      ),
    );
    for (const [path, { isNeeded }] of Object.entries(needs)) {
      expect([path, isNeeded()]).toEqual([path, true]);
    }
  });

  test("are by identity only: no key is listed, local authentication is off, nothing has a slot", () => {
    const all = bicepFiles.map(({ text }) => text).join("\n");
    expect(all).not.toMatch(/listKeys|listCredentials|AccountKey=|SharedAccessKey|sites\/slots/);
    for (const path of ["app/cosmos.bicep", "app/service-bus.bicep"]) {
      expect(bicepFile(path).text).toContain("disableLocalAuth: true");
    }
    expect(bicepFile("app/storage.bicep").text).toContain("allowSharedKeyAccess: false");
    expect(bicepFile("app/monitoring.bicep").text).toContain("DisableLocalAuth: true");
  });

  test("leave the account of record safe: one write region, Bounded Staleness, continuous backup", () => {
    const text = bicepFile("app/cosmos.bicep").text;
    expect(text).toContain("enableMultipleWriteLocations: false");
    expect(text).toContain("defaultConsistencyLevel: 'BoundedStaleness'");
    expect(text).toContain("type: 'Continuous'");
    expect(text.match(/locationName/g)).toHaveLength(1);
  });
});

describe("two environments", () => {
  test("share neither storage nor host id, however alike their names begin", () => {
    const main = bicepFile("main.bicep").text;
    expect(main).toContain("uniqueString(subscription().id, environmentName, location)");
    // A host id is the app's name cut at 32 characters: `func-` and 13 characters of hash are never cut.
    expect(main).toContain("name: 'func-${token}'");
    expect(main).toContain("name: 'st${token}'");
  });
});

describe("the alerts", () => {
  const alerts = json("infra/alerts.json") as {
    deadLetters: { name: string };
    queries: { name: string; metrics: string[]; query: string }[];
  };
  const names = [alerts.deadLetters.name, ...alerts.queries.map(({ name }) => name)];

  test("have one entry each in the runbook, with all four parts, and the runbook has no other", () => {
    const entries = source("ops/RUNBOOK.md").split(/^## /m).slice(1);
    expect(entries.map((entry) => entry.split("\n", 1)[0] ?? "").toSorted()).toEqual(
      names.toSorted(),
    );
    for (const entry of entries) {
      for (const part of ["You see", "It means", "Do", "Never"]) {
        expect([entry.split("\n", 1)[0], entry.includes(`**${part}:**`)]).toEqual([
          entry.split("\n", 1)[0],
          true,
        ]);
      }
    }
  });

  test("ask for the metrics that they name", () => {
    for (const { name, metrics, query } of alerts.queries) {
      const asked = [...query.matchAll(/'(countersign\.[a-z_.]+)'/g)].map(([, metric]) => metric);
      expect([name, asked]).toEqual([name, metrics]);
    }
  });
});
