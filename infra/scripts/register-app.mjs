// Registers the Entra ID application whose app roles operators hold, or brings it up to date; needs the right to register apps.
//
//   node infra/scripts/register-app.mjs --environment prod --url https://<app>.azurewebsites.net \
//     --identity <principal id of the app's identity> [--tenants acme,globex]
//
// Prints the client id for COUNTERSIGN_AUTH_CLIENT_ID; run it after the first `azd provision`, set the id, provision again.
// Each role of infra/app-roles.json exists once for all tenants, and as `role@tenant` for each tenant named.
// No secret is made: the app's managed identity is trusted by a federated credential.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { azure, stop } from "./azure-cli.mjs";

const { values } = parseArgs({
  options: {
    environment: { type: "string" },
    url: { type: "string" },
    identity: { type: "string" },
    tenants: { type: "string", default: "" },
  },
});
for (const name of ["environment", "url", "identity"]) {
  if (!values[name]) stop(`Give --${name}. How to call this: see the head of the file.`);
}

const displayName = `Countersign (${values.environment})`;
const roles = JSON.parse(readFileSync(new URL("../app-roles.json", import.meta.url), "utf8"));
const tenants = values.tenants.split(",").filter((tenant) => tenant !== "");

/** The same role has the same id on each run: a changed id would take the role from all who hold it. */
function roleId(value) {
  const hex = createHash("sha256").update(`countersign app role ${value}`).digest("hex");
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join("-");
}

const appRoles = roles.flatMap((role) =>
  ["", ...tenants.map((tenant) => `@${tenant}`)].map((suffix) => ({
    allowedMemberTypes: ["User", "Application"],
    id: roleId(role.value + suffix),
    value: role.value + suffix,
    displayName: suffix === "" ? role.name : `${role.name}, tenant ${suffix.slice(1)}`,
    description: role.does,
    isEnabled: true,
  })),
);

const known = azure(["ad", "app", "list", "--display-name", displayName, "--query", "[].appId"]);
if (known.length > 1)
  stop(`${known.length} applications are named ${displayName}; delete all but one.`);
const appId = known[0] ?? azure(createApp());
azure(updateApp());
const credentials = ["ad", "app", "federated-credential"];
const subjects = azure([...credentials, "list", "--id", appId, "--query", "[].subject"]);
if (!subjects.includes(values.identity)) {
  const trust = JSON.stringify({
    name: "countersign-app",
    issuer: `https://login.microsoftonline.com/${azure(["account", "show", "--query", "tenantId"])}/v2.0`,
    subject: values.identity,
    audiences: ["api://AzureADTokenExchange"],
  });
  azure([...credentials, "create", "--id", appId, "--parameters", trust]);
}
console.log(appId);

function createApp() {
  const audience = ["--sign-in-audience", "AzureADMyOrg"];
  return ["ad", "app", "create", "--display-name", displayName, ...audience, "--query", "appId"];
}

function updateApp() {
  const identity = ["--identifier-uris", `api://${appId}`, "--enable-id-token-issuance", "true"];
  const redirect = ["--web-redirect-uris", `${values.url}/.auth/login/aad/callback`];
  const roleList = ["--app-roles", JSON.stringify(appRoles)];
  return ["ad", "app", "update", "--id", appId, ...roleList, ...identity, ...redirect];
}
