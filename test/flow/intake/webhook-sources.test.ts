// The configuration of who may send: wrong is refused by the field's name, and no value is repeated.
import { describe, expect, test } from "vitest";
import { WebhookSources } from "../../../shared/flow/intake/webhook-sources.ts";
import { newSecret } from "./intake-world.ts";

const good = {
  tenantId: "t1",
  workflow: "exception",
  secrets: [{ name: "a", secret: newSecret() }],
};
const withSecret = (secret: unknown) => ({
  erp: { ...good, secrets: [{ name: "a", ...(secret as object) }] },
});

describe("webhook sources", () => {
  test.each([
    ["erp.tenantId", { erp: { ...good, tenantId: "T:1" } }],
    ["erp.workflow", { erp: { ...good, workflow: "" } }],
    ["erp.secrets", { erp: { ...good, secrets: [] } }],
    ["erp.secrets.0.secret", withSecret({ secret: "hunter2" })],
    [
      "erp.secrets.0.secret",
      withSecret({ secret: `whsec_${Buffer.from("hunter2").toString("base64")}` }),
    ],
    ["erp.secrets.0.secret", withSecret({ secret: "whsec_" })],
    ["erp.secrets.0.notAfter", withSecret({ secret: newSecret(), notAfter: "hunter2" })],
    ["erp.secrets.0", withSecret({ secret: newSecret(), notafter: "2026-01-01T00:00:00Z" })],
    ["erp", { erp: { ...good, tenant: "hunter2" } }],
    ["Erp/1", { "Erp/1": good }],
  ])("with a wrong %s are refused by its name", (field, sources) => {
    const { error } = WebhookSources.safeParse(sources);
    expect(error?.issues.map(({ path }) => path.join("."))).toEqual([field]);
    expect(JSON.stringify(error?.issues)).not.toContain("hunter2");
  });

  test("may hold several secrets, one of which has an end", () => {
    const secrets = [{ name: "b", secret: newSecret(), notAfter: "2026-06-01T00:00:00+02:00" }];
    const sources = { erp: { ...good, secrets: [...good.secrets, ...secrets] } };
    expect(WebhookSources.parse(sources)).toEqual(sources);
  });
});
