// What of a document its reader may see. Payloads, targets, facts and the content of receipts are for those who act on them; who
// only reads sees that something is there, by its digest, and never what. Reasons are shown to all who may look, in the words of
// the app or of a provider: what they repeat of a sensitive payload was taken out before they were kept.
//
// The shapes below are what the lists and the review show of an effect and a finding; they are part of the OpenAPI document.
import { z } from "zod";
import { Attempt, basisOf, type Effect } from "../../domain/records/effect.ts";
import type { Finding, Receipt } from "../../domain/records/evidence.ts";
import type { CaseDocument } from "../../domain/records/snapshot.ts";

const Content = z.record(z.string(), z.unknown());

export const ShownReceipt = z.object({
  stage: z.string(),
  providerId: z.string(),
  content: Content.optional().describe("For operators, approvers and admins."),
});

export const ShownEffect = z.object({
  operationId: z.string(),
  action: z.string(),
  provider: z.string(),
  account: z.string(),
  origin: z.enum(["plan", "outbox"]),
  basis: z.int().describe("The version that it was decided on, or that the commit created."),
  ordinal: z.int(),
  status: z.string(),
  reason: z.string().optional(),
  target: z.string().optional().describe("For operators, approvers and admins."),
  payload: Content.optional().describe("Frozen; for operators, approvers and admins."),
  payloadDigest: z.string(),
  isSensitive: z
    .boolean()
    .describe(
      "True: its payload is kept apart, encrypted; only an approver who is asked about it sees it.",
    ),
  isHidden: z.boolean().describe("True when the caller's role does not show target and payload."),
  attempts: z.array(Attempt),
  mayHaveLeft: z.boolean(),
  settledBy: z.string().optional(),
  settledAtMs: z.int().optional(),
  unknownSinceMs: z.int().optional(),
  abandonedBy: z.string().optional(),
  receipt: ShownReceipt.optional(),
  contradicted: z.object({ atMs: z.int(), why: z.string() }).optional(),
});
export type ShownEffect = z.infer<typeof ShownEffect>;

export const ShownFinding = z.object({
  id: z.string(),
  kind: z.string(),
  says: z.string(),
  by: z.string(),
  foundAtMs: z.int(),
  verdict: z.string().optional().describe("What it made of the effect; absent until it is folded."),
});
export type ShownFinding = z.infer<typeof ShownFinding>;

export function showEffect(effect: Effect, mayReadContent: boolean): ShownEffect {
  const { account, action, attempts, mayHaveLeft, operationId, ordinal, origin } = effect;
  return {
    operationId,
    action,
    provider: effect.provider,
    account,
    origin,
    basis: basisOf(effect),
    ordinal,
    payloadDigest: effect.payloadDigest,
    isSensitive: effect.payloadRef !== undefined,
    isHidden: !mayReadContent,
    ...(mayReadContent ? { target: effect.target } : {}),
    ...(mayReadContent && effect.payload !== undefined ? { payload: effect.payload } : {}),
    attempts,
    mayHaveLeft,
    ...statusOf(effect, mayReadContent),
    ...(effect.contradicted === undefined ? {} : { contradicted: effect.contradicted }),
  };
}

function statusOf(
  effect: Effect,
  mayReadContent: boolean,
): Pick<
  ShownEffect,
  "status" | "reason" | "settledAtMs" | "settledBy" | "receipt" | "unknownSinceMs" | "abandonedBy"
> {
  const { status } = effect;
  switch (effect.status) {
    case "prepared":
      return effect.reason === undefined ? { status } : { status, reason: effect.reason };
    case "started":
      return { status };
    case "confirmed": {
      const { receipt, settledAtMs, settledBy } = effect;
      return { status, settledAtMs, settledBy, receipt: showReceipt(receipt, mayReadContent) };
    }
    case "rejected": {
      const { reason, settledAtMs, settledBy } = effect;
      return { status, reason, settledAtMs, settledBy };
    }
    case "unknown": {
      const { abandonedBy, reason, unknownSinceMs } = effect;
      const given = abandonedBy === undefined ? {} : { abandonedBy };
      return { status, reason, unknownSinceMs, ...given };
    }
    case "cancelled":
      return { status, reason: effect.reason, settledAtMs: effect.settledAtMs };
  }
}

function showReceipt({ content, providerId, stage }: Receipt, mayReadContent: boolean) {
  return { stage, providerId, ...(mayReadContent ? { content } : {}) };
}

export function showFinding(finding: Finding): ShownFinding {
  const { by, content, folded, foundAtMs, id } = finding;
  return {
    id,
    kind: content.kind,
    says: saysOf(content),
    by,
    foundAtMs,
    ...(folded === undefined ? {} : { verdict: folded.verdict }),
  };
}

function saysOf(content: Finding["content"]): string {
  switch (content.kind) {
    case "attemptEnd": {
      const { answer, attempt } = content;
      const what = answer.kind === "receipt" ? answer.receipt.providerId : answer.reason;
      return `attempt ${attempt} ended: ${answer.kind} (${what})`;
    }
    case "lookup":
      return content.verdict.kind === "found"
        ? `found: ${content.verdict.receipt.providerId}`
        : content.verdict.kind;
    case "providerReport":
      return `the provider reported ${content.receipt.providerId}: ${content.receipt.stage}`;
    case "statement":
      return `${content.statement.kind}: ${content.reason}`;
    case "erased":
      return "erased";
  }
}

/** The whole document as it is stored, or without what its reader may not see. */
export function redacted(document: CaseDocument, mayReadContent: boolean): CaseDocument {
  if (mayReadContent) return document;
  switch (document.type) {
    case "case":
      return { ...document, facts: {}, ...(document.plan && { plan: bare(document.plan) }) };
    case "effect":
      return document.status === "confirmed"
        ? { ...document, target: "", payload: {}, receipt: bareReceipt(document.receipt) }
        : { ...document, target: "", payload: {} };
    case "event":
      return { ...document, body: {} };
    case "finding":
      return { ...document, content: { kind: "erased" } };
    case "approval":
      return { ...document, target: "" };
    // What a payload's document holds is encrypted, and no list has it.
    case "payload":
    case "review":
      return document;
  }
}

function bare<Plan extends { notifications: unknown[] }>(plan: Plan): Plan {
  return { ...plan, notifications: [] };
}

function bareReceipt(receipt: Receipt): Receipt {
  return { ...receipt, boundTo: { ...receipt.boundTo, target: "" }, content: {} };
}
