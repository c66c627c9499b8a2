// The routes about grants: who allowed what, giving, and taking back.
import { z } from "zod";
import { Grant } from "../../../domain/records/grant.ts";
import { getRoute, postRoute, Reason, Tenant } from "../route.ts";
import type { Reply } from "../serve.ts";
import { GrantRequest, type GiveResult, type RevokeResult } from "./give-grant.ts";

const OfTenant = z.strictObject({ tenant: Tenant });

export const listGrantsRoute = getRoute({
  name: "list-grants",
  path: "grants/{tenant}",
  summary: "The grants of a tenant, revoked ones included.",
  role: "reader",
  params: OfTenant,
  answer: {
    schema: z.object({ grants: z.array(Grant) }),
    says: "All of them: the tenant's record of who allowed what.",
  },
  problems: [],
});

export const giveGrantRoute = postRoute({
  name: "give-grant",
  path: "grants/{tenant}",
  summary: "Gives a workflow the right to an action, and wakes the cases that wait for it.",
  role: "admin",
  params: OfTenant,
  body: GrantRequest,
  answer: {
    status: 201,
    schema: z.object({ id: z.string(), woken: z.int().describe("Cases that waited for it.") }),
    says: "It stands.",
  },
  problems: [409],
  record: ({ body }) => ({
    subject: `grant:${body.id}`,
    decisionId: body.id,
    details: { subject: body.subject, action: body.action, target: body.target },
  }),
});

export const revokeGrantRoute = postRoute({
  name: "revoke-grant",
  path: "grants/{tenant}/{grant}/revoke",
  summary: "Takes a grant back: nothing more is sent under it, nothing that was done is erased.",
  role: "admin",
  params: OfTenant.extend({ grant: GrantRequest.shape.id }),
  body: z.strictObject({ reason: Reason }),
  answer: { status: 200, schema: z.object({ revoked: z.literal(true) }), says: "It is revoked." },
  problems: [404, 409],
  record: ({ body, params }) => ({ subject: `grant:${params.grant}`, reason: body.reason }),
});

export function giveReply(result: GiveResult, id: string): Reply<{ id: string; woken: number }> {
  switch (result.kind) {
    case "given":
      return { kind: "done", body: { id, woken: result.woken } };
    case "exists": {
      const detail = "Another grant has this id; choose a new one.";
      return { kind: "problem", problem: { status: 409, slug: "grant-exists", detail } };
    }
    case "wrong": {
      const { detail, field } = result;
      const errors = [{ field, detail }];
      const what = "Some fields are missing or wrong.";
      return {
        kind: "problem",
        problem: { status: 400, slug: "bad-request", detail: what, errors },
      };
    }
    case "unavailable": {
      const detail = "Send the same request again.";
      const problem = { status: 503, slug: "unavailable", detail, retryAfterSeconds: 5 } as const;
      return { kind: "problem", problem };
    }
  }
}

export function revokeReply(result: RevokeResult): Reply<{ revoked: true }> {
  switch (result.kind) {
    case "revoked":
      return { kind: "done", body: { revoked: true } };
    case "revokedBefore": {
      const { atMs, by } = result.first;
      const detail = `It was revoked before, by ${by} at ${new Date(atMs).toISOString()}.`;
      return { kind: "problem", problem: { status: 409, slug: "revoked-before", detail } };
    }
    case "missing": {
      const detail = "There is no such grant.";
      return { kind: "problem", problem: { status: 404, slug: "no-such-grant", detail } };
    }
  }
}
