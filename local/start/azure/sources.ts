// The companies of the demo: who sends webhooks, for which tenant, and their secrets.
//
// Secrets are made once and kept in the state folder. acme is in the middle of a rotation: its ERP
// may sign with the new secret or with the old one.
import { randomBytes } from "node:crypto";
import { z } from "zod";
import type { StateFolder } from "./state-folder.ts";

interface Source {
  tenantId: string;
  /** Whose events it sends. */
  workflow: string;
  /** The first is the one in use. */
  secretNames: readonly string[];
}

const invoices = { workflow: "invoice-exception", secretNames: ["2026-10"] };
const onboardings = { workflow: "customer-onboarding", secretNames: ["2026-10"] };

export const sources: Readonly<Record<string, Source>> = {
  "acme-erp": { ...invoices, tenantId: "acme", secretNames: ["2026-10", "2026-04"] },
  "globex-sap": { ...invoices, tenantId: "globex" },
  "initech-books": { ...invoices, tenantId: "initech" },
  "hooli-erp": { ...invoices, tenantId: "hooli" },
  "acme-onboarding": { ...onboardings, tenantId: "acme" },
  "globex-onboarding": { ...onboardings, tenantId: "globex" },
};

export const tenantIds = [...new Set(Object.values(sources).map(({ tenantId }) => tenantId))];

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
  const webhooks = Object.entries(sources).map(([source, { secretNames }]) => [
    source,
    secretNames.map((name) => ({ name, secret: `whsec_${randomBytes(24).toString("base64")}` })),
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
