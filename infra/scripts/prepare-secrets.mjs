// Puts the app's secrets into its Key Vault; runs after each provisioning, as often as you like.
//
//   COUNTERSIGN_KEY_VAULT=<name> node infra/scripts/prepare-secrets.mjs
//
// Two keys are made here, once: `case-id-key` (it names every case: another one would orphan them all) and `payload-keys`.
// They are never replaced. The others come from the environment variable of the setting's name (SUPPLIER_PORTAL_TOKEN,
// WEBHOOK_SOURCES, ...): given, they are written; not given, what the vault has stays. Ends with 1 while one is missing.
// Values go to the CLI in a file that only this user can read, never as an argument.
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { azure, stop } from "./azure-cli.mjs";

/** By secret: how it is made, or the environment variable that brings it; `onlyWith`: not needed without that setting. */
const secrets = {
  "case-id-key": { made: () => randomBytes(32).toString("base64") },
  "payload-keys": {
    made: () => `${new Date().toISOString().slice(0, 7)}:${randomBytes(32).toString("base64")}`,
  },
  "webhook-sources": { from: "WEBHOOK_SOURCES" },
  "supplier-portal-token": { from: "SUPPLIER_PORTAL_TOKEN" },
  "email-token": { from: "EMAIL_TOKEN" },
  "crm-token": { from: "CRM_TOKEN", onlyWith: "CRM_URL" },
  "task-board-token": { from: "TASK_BOARD_TOKEN", onlyWith: "TASK_BOARD_URL" },
  // With an Azure OpenAI account the app shows its identity instead: then give no MODEL_API_KEY.
  "model-api-key": { from: "MODEL_API_KEY", onlyWith: "MODEL_API_KEY" },
};

const vault = process.env.COUNTERSIGN_KEY_VAULT;
if (!vault) stop("Set COUNTERSIGN_KEY_VAULT to the name of the vault (azd sets it).");

const present = new Set(namesInVault());
const missing = [];
for (const [name, { made, from, onlyWith }] of Object.entries(secrets)) {
  const given = from === undefined ? undefined : process.env[from];
  if (made !== undefined) {
    if (present.has(name)) console.log(`${name}: kept`);
    else write(name, made(), "made");
  } else if (given) {
    write(name, given, "written");
  } else if (present.has(name)) {
    console.log(`${name}: kept`);
  } else if (onlyWith === undefined || process.env[onlyWith]) {
    missing.push(from);
  }
}
if (missing.length > 0) {
  stop(`Still missing: set ${missing.join(", ")} in the environment and run this again.`);
}

function namesInVault() {
  try {
    return azure(["keyvault", "secret", "list", "--vault-name", vault, "--query", "[].name"]);
  } catch (error) {
    return stop(
      `The vault ${vault} cannot be listed, so nothing was written. A new role may take some minutes to hold; then run this again. ${error.message}`,
    );
  }
}

function write(name, value, done) {
  const folder = mkdtempSync(join(tmpdir(), "countersign-"));
  try {
    const file = join(folder, "value");
    writeFileSync(file, value, { mode: 0o600 });
    azure([
      "keyvault",
      "secret",
      "set",
      "--vault-name",
      vault,
      "--name",
      name,
      "--file",
      file,
      "--encoding",
      "utf-8",
      "--query",
      "name",
    ]);
    console.log(`${name}: ${done}`);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
