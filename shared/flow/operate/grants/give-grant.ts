// A person gives or takes back an authorization (design.md 9). Giving wakes what waits for it; taking back stops the next send
// and erases nothing that was done.
import { z } from "zod";
import { digestOf } from "../../../domain/canonical-json.ts";
import { hintIdOf } from "../../../domain/identity.ts";
import type { Book } from "../../../domain/definitions.ts";
import type { Grant } from "../../../domain/records/grant.ts";
import type { CaseStore, GrantRegister, HintQueue } from "../../../stores/ports.ts";
import type { Principal } from "../access/principal.ts";
import { whyCoversNothing } from "./why-covers-nothing.ts";

export interface GrantPorts {
  cases: CaseStore;
  grants: GrantRegister;
  hints: HintQueue;
  book: Book;
  random(): string;
  nowMs(): number;
}

export const GrantRequest = z.strictObject({
  /** The client names it, so that the same request twice is one grant. */
  id: z
    .string()
    .regex(
      /^(?!\.{1,2}$)[A-Za-z0-9._:-]{1,100}$/,
      "use 1 to 100 of A-Z a-z 0-9 . _ : -, not . or ..",
    ),
  subject: z.string().min(1).max(100),
  action: z.string().min(1).max(100),
  target: z.string().min(1).max(500).default("*"),
  limits: z
    .record(
      z.string().max(100),
      z.string().regex(/^\d{1,15}(\.\d{1,6})?$/, "a decimal amount as text"),
    )
    .default({}),
  only: z.record(z.string().max(100), z.string().max(500)).optional(),
  expiresAt: z.iso.datetime({ offset: true }).optional(),
});
export type GrantRequest = z.infer<typeof GrantRequest>;

export type GiveResult =
  | { kind: "given"; woken: number }
  | { kind: "exists" }
  | { kind: "unavailable" }
  | { kind: "wrong"; field: string; detail: string };

export async function giveGrant(
  ports: GrantPorts,
  request: { tenantId: string; grant: GrantRequest; principal: Principal },
): Promise<GiveResult> {
  const { tenantId, principal } = request;
  const { expiresAt, only, ...named } = request.grant;
  const action = ports.book.action(named.action);
  if (action === undefined) {
    return { kind: "wrong", field: "action", detail: "no such action is defined here" };
  }
  const workflow = ports.book.workflow(named.subject);
  if (workflow === undefined) {
    return { kind: "wrong", field: "subject", detail: "no such workflow is defined here" };
  }
  const idle = whyCoversNothing(request.grant, { action, workflow });
  if (idle !== undefined) return { kind: "wrong", ...idle };
  const nowMs = ports.nowMs();
  if (expiresAt !== undefined && Date.parse(expiresAt) <= nowMs) {
    return { kind: "wrong", field: "expiresAt", detail: "is in the past: it would allow nothing" };
  }
  const grant: Grant = {
    ...named,
    type: "grant",
    schemaVersion: 1,
    tenantId,
    grantedBy: principal.id,
    grantedAtMs: nowMs,
    ...(only === undefined ? {} : { only }),
    ...(expiresAt === undefined ? {} : { expiresAtMs: Date.parse(expiresAt) }),
  };
  const created = await ports.grants.create(grant);
  if (created === "uncertain") return { kind: "unavailable" };
  if (created === "exists" && !(await isSame(ports, grant))) return { kind: "exists" };
  return { kind: "given", woken: await wake(ports, tenantId, named.action) };
}

/** The same request told again, by the same person. */
async function isSame(ports: GrantPorts, grant: Grant): Promise<boolean> {
  const known = await ports.grants.read(grant.tenantId, grant.id);
  if (known === undefined || known.revoked !== undefined) return false;
  const essence = ({ subject, action, target, limits, only, grantedBy, expiresAtMs }: Grant) =>
    digestOf({
      subject,
      action,
      target,
      limits,
      only: only ?? {},
      grantedBy,
      expiresAtMs: expiresAtMs ?? 0,
    });
  return essence(known) === essence(grant);
}

async function wake(ports: GrantPorts, tenantId: string, action: string): Promise<number> {
  const held = await ports.cases.heldForGrant({ tenantId, action });
  for (const key of held) {
    const hintId = hintIdOf(key, "granted", ports.random());
    await ports.hints.send("cases", { ...key, hintId, reason: "granted" });
  }
  return held.length;
}

export type RevokeResult =
  | { kind: "revoked" | "missing" }
  | { kind: "revokedBefore"; first: NonNullable<Grant["revoked"]> };

export async function revokeGrant(
  ports: GrantPorts,
  request: { tenantId: string; grantId: string; reason: string; principal: Principal },
): Promise<RevokeResult> {
  const { tenantId, grantId, reason, principal } = request;
  const revoked = { by: principal.id, atMs: ports.nowMs(), reason };
  const kind = await ports.grants.revoke(tenantId, grantId, revoked);
  if (kind !== "revokedBefore") return { kind };
  const first = (await ports.grants.read(tenantId, grantId))?.revoked;
  if (first === undefined) return { kind: "missing" };
  // Whoever asks again may never have heard the first answer.
  return first.by === principal.id ? { kind: "revoked" } : { kind, first };
}
