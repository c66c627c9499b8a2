// The companies of the demo: who sends webhooks, for which tenant, and their secrets.
//
// Secrets are made once and kept in the state folder. acme is in the middle of a rotation: its ERP
// may sign with the new secret or with the old one.
import { randomBytes } from "node:crypto";
import { z } from "zod";
import type { StateFolder } from "./state-folder.ts";

export const tenantOf: Readonly<Record<string, string>> = {
  "acme-erp": "acme",
  "globex-sap": "globex",
  "initech-books": "initech",
  "hooli-erp": "hooli",
  "acme-onboarding": "acme",
  "globex-onboarding": "globex",
};

/** Which workflow a source's events belong to. */
export function workflowOf(source: string): string {
  return source.endsWith("-onboarding") ? "customer-onboarding" : "invoice-exception";
}

const secretNames: Readonly<Record<string, readonly string[]>> = {
  "acme-erp": ["2026-10", "2026-04"],
  "globex-sap": ["2026-10"],
  "initech-books": ["2026-10"],
  "hooli-erp": ["2026-10"],
  "acme-onboarding": ["2026-10"],
  "globex-onboarding": ["2026-10"],
};

export const Secrets = z.object({
  caseIdKey: z.string(),
  payloadKey: z.string(),
  supplierPortalToken: z.string(),
  emailToken: z.string(),
  crmToken: z.string(),
  taskBoardToken: z.string(),
  /** By source; the first is the one in use. */
  webhooks: z.record(z.string(), z.array(z.object({ name: z.string(), secret: z.string() }))),
});
export type Secrets = z.infer<typeof Secrets>;

export const secretsFile = "secrets.json";

function newSecrets(): Secrets {
  const webhooks = Object.entries(secretNames).map(([source, names]) => [
    source,
    names.map((name) => ({ name, secret: `whsec_${randomBytes(24).toString("base64")}` })),
  ]);
  return {
    caseIdKey: randomBytes(32).toString("base64"),
    payloadKey: randomBytes(32).toString("base64"),
    supplierPortalToken: randomBytes(16).toString("hex"),
    emailToken: randomBytes(16).toString("hex"),
    crmToken: randomBytes(16).toString("hex"),
    taskBoardToken: randomBytes(16).toString("hex"),
    webhooks: Object.fromEntries(webhooks) as Secrets["webhooks"],
  };
}

export async function secretsOf(state: StateFolder): Promise<Secrets> {
  const kept = await state.readJson(secretsFile);
  const made = newSecrets();
  // A state folder of earlier days lacks the secrets of what has been added since.
  const earlier = kept === undefined ? undefined : Secrets.partial().parse(kept);
  const secrets = Secrets.parse({
    ...made,
    ...earlier,
    webhooks: { ...made.webhooks, ...earlier?.webhooks },
  });
  await state.writeJson(secretsFile, secrets);
  return secrets;
}

/** The secret that a sender signs with: the named one, or the one in use. */
export function secretOf(
  secrets: Pick<Secrets, "webhooks">,
  source: string,
  name?: string,
): string {
  const known = secrets.webhooks[source] ?? [];
  const secret = name === undefined ? known[0] : known.find((one) => one.name === name);
  if (secret === undefined) throw new Error(`no webhook secret ${name ?? ""} for source ${source}`);
  return secret.secret;
}
