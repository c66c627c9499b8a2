// The script that writes the vault, against a stand-in of the Azure CLI that keeps secrets in a file.
import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { infra } from "./bicep.ts";

const script = join(infra, "scripts", "prepare-secrets.mjs");
const azStandIn = `#!${process.execPath}
const { readFileSync, writeFileSync, appendFileSync } = require("node:fs");
const folder = __dirname;
const args = process.argv.slice(2);
appendFileSync(folder + "/calls", args.join(" ") + "\\n");
const vault = JSON.parse(readFileSync(folder + "/vault.json", "utf8"));
if (vault === null) { console.error("(Forbidden) no role"); process.exit(1); }
const valueOf = (name) => args[args.indexOf(name) + 1];
if (args.includes("list")) console.log(JSON.stringify(Object.keys(vault)));
else {
  vault[valueOf("--name")] = readFileSync(valueOf("--file"), "utf8");
  writeFileSync(folder + "/vault.json", JSON.stringify(vault));
  console.log(JSON.stringify(valueOf("--name")));
}
`;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "prepare-secrets-"));
  writeFileSync(join(folder, "az"), azStandIn);
  chmodSync(join(folder, "az"), 0o755);
  keep({});
});
afterEach(() => rmSync(folder, { recursive: true }));

const keep = (vault: object | null) =>
  writeFileSync(join(folder, "vault.json"), JSON.stringify(vault));
const kept = () =>
  JSON.parse(readFileSync(join(folder, "vault.json"), "utf8")) as Record<string, string>;
const given = {
  WEBHOOK_SOURCES: '{"erp":{}}',
  SUPPLIER_PORTAL_TOKEN: "portal-secret",
  EMAIL_TOKEN: "email-secret",
};

function run(environment: Record<string, string>) {
  const path = [folder, dirname(process.execPath)].join(delimiter);
  const done = spawnSync(process.execPath, [script], {
    env: { PATH: path, COUNTERSIGN_KEY_VAULT: "kv-1", ...environment },
    encoding: "utf8",
  });
  return { status: done.status, said: done.stdout + done.stderr };
}

test("an empty vault gets the made keys and the given secrets, and no value is ever an argument or printed", () => {
  const { status, said } = run(given);
  expect(status).toBe(0);
  const vault = kept();
  expect(Buffer.from(vault["case-id-key"] ?? "", "base64")).toHaveLength(32);
  expect(vault["supplier-portal-token"]).toBe("portal-secret");
  const calls = readFileSync(join(folder, "calls"), "utf8");
  for (const value of Object.values(vault)) expect(said + calls).not.toContain(value);
});

test("a second run keeps the case-id key, whatever else changes", () => {
  run(given);
  const first = kept();
  expect(run({ ...given, EMAIL_TOKEN: "email-secret-2" }).status).toBe(0);
  expect(kept()).toEqual({ ...first, "email-token": "email-secret-2" });
});

test("what is missing is named, and ends the script with 1; what the vault has is enough", () => {
  expect(run({ ...given, EMAIL_TOKEN: "" })).toMatchObject({
    status: 1,
    said: expect.stringContaining("EMAIL_TOKEN"),
  });
  run(given);
  expect(run({})).toMatchObject({ status: 0 });
  expect(run({ CRM_URL: "https://crm.example" })).toMatchObject({
    status: 1,
    said: expect.stringContaining("CRM_TOKEN"),
  });
});

test("a vault that cannot be listed gets nothing written: an unseen key must not be replaced", () => {
  keep(null);
  const { status, said } = run(given);
  expect(status).toBe(1);
  expect(said).toContain("nothing was written");
  expect(readFileSync(join(folder, "calls"), "utf8")).not.toContain("set");
});
