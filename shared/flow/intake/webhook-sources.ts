// Who may send webhooks: a source has one tenant, one workflow, and secrets that overlap while one replaces another.
//
// The tenant comes from here and never from a request, so a delivery signed for one tenant cannot touch another
// (cases.md 17). Errors name the field, like `erp.secrets.0.secret`, and never repeat a value.
// A misspelt field is refused: a `notafter` that nobody reads would keep an old secret good for ever.
import { z } from "zod";
import type { Book } from "../../domain/definitions.ts";
import { tenantIdPattern } from "../../domain/identity.ts";
import { investigateSource, refreshSource } from "../../domain/event-type.ts";

const secretBytesMin = 24;

/** As Standard Webhooks writes a secret: `whsec_` and base64. */
const Secret = z.string().refine(
  (text) => {
    const base64 = text.replace(/^whsec_/, "");
    const bytes = Buffer.from(base64, "base64");
    return z.base64().safeParse(base64).success && bytes.length >= secretBytesMin;
  },
  { error: `must be whsec_ and the base64 of at least ${secretBytesMin} random bytes` },
);

const WebhookSecret = z.strictObject({
  /** What the log says instead of the secret. */
  name: z.string().regex(/^[A-Za-z0-9._-]{1,64}$/, "use 1 to 64 of A-Z, a-z, 0-9, ., _ and -"),
  secret: Secret,
  /** From then on it signs nothing any more: no redeploy is needed at the switch. */
  notAfter: z.iso.datetime({ offset: true }).optional(),
});
type WebhookSecret = z.infer<typeof WebhookSecret>;

const WebhookSource = z
  .strictObject({
    tenantId: z.string().regex(tenantIdPattern, "use 1 to 64 of a-z, 0-9 and -"),
    /** A tenant's own system: its events are facts of this workflow. */
    workflow: z.string().min(1).max(100).optional(),
    /** A provider of ours: its webhooks are evidence about effects, and never facts. */
    provider: z.string().min(1).max(100).optional(),
    secrets: z.array(WebhookSecret).min(1, "give at least one secret").max(5),
  })
  .refine(({ provider, workflow }) => (provider === undefined) !== (workflow === undefined), {
    error: "give either a workflow or a provider",
    path: ["workflow"],
  });
export type WebhookSource = z.infer<typeof WebhookSource>;

/** Events that the app makes itself bear these; no sender may. */
const ownNames: readonly string[] = [refreshSource, investigateSource];

const sourceName = z
  .string()
  .regex(/^[a-z0-9-]{1,64}$/, "use 1 to 64 of a-z, 0-9 and -")
  .refine((name) => !ownNames.includes(name), "is a name that the app uses itself");

export const WebhookSources = z.record(sourceName, WebhookSource);
export type WebhookSources = z.infer<typeof WebhookSources>;

/** Sources of which each delivery is turned away, and why: by settings, not by their senders. */
export function deafSources(sources: WebhookSources, book: Book, nowMs: number): string[] {
  return Object.entries(sources).flatMap(([name, { provider, secrets, workflow }]) => {
    const why: string[] = [];
    if (workflow !== undefined && book.workflow(workflow) === undefined)
      why.push("its workflow is not registered here");
    if (provider !== undefined && book.provider(provider)?.report === undefined)
      why.push("its provider is not registered here, or has no webhooks");
    if (secrets.every((secret) => hasEnded(secret, nowMs)))
      why.push("each of its secrets has ended");
    return why.length === 0 ? [] : [`${name}: ${why.join(", ")}`];
  });
}

export function hasEnded({ notAfter }: WebhookSecret, nowMs: number): boolean {
  return notAfter !== undefined && Date.parse(notAfter) <= nowMs;
}

export function sourceOf(sources: WebhookSources, name: string): WebhookSource | undefined {
  return Object.hasOwn(sources, name) ? sources[name] : undefined;
}
