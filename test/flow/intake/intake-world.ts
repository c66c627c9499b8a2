// A sender with real signatures, and an intake on stores in memory.
import { randomBytes } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { z } from "zod";
import { bookOf } from "../../../shared/domain/book-of.ts";
import type { Provider, Workflow } from "../../../shared/domain/definitions.ts";
import { caseIdOf, type CaseKey } from "../../../shared/domain/identity.ts";
import type { Event, Refusal } from "../../../shared/domain/records/inbox.ts";
import { refusalsCaseId } from "../../../shared/flow/intake/keep-refusal.ts";
import { recordEvent, type IntakePorts } from "../../../shared/flow/intake/record-event.ts";
import type { LogFields } from "../../../shared/flow/turn/turn.ts";
import { WebhookSources } from "../../../shared/flow/intake/webhook-sources.ts";
import { memoryCases } from "../../memory/memory-cases.ts";
import { memoryHints } from "../../memory/memory-hints.ts";
import { memoryReports } from "../../memory/memory-reports.ts";
import type { Stored } from "../../memory/partitions.ts";
import { silentTelemetry, type Telemetry } from "../../../shared/telemetry/telemetry.ts";

export function newSecret(): string {
  return `whsec_${randomBytes(32).toString("base64")}`;
}

export const secrets = { t1: newSecret(), t10: newSecret() };

const Raised = z.object({
  reference: z.string(),
  target_id: z.union([z.string(), z.number()]).optional(),
  amount: z.union([z.string(), z.number()]).optional(),
  lines: z.array(z.object({ billed: z.string() })).optional(),
  note: z.string().optional(),
});

const workflow: Workflow = {
  type: "exception",
  revision: 1,
  facts: z.record(z.string(), z.json()),
  initialStatus: "open",
  statuses: { open: { final: false } },
  events: { "exception.raised": Raised },
  externalRefOf: (data) => Raised.parse(data).reference,
  fold: () => "ignored",
  decide: () => ({ kind: "wait", why: "nothing to do" }),
};

export const defaultSources: WebhookSources = {
  erp: {
    tenantId: "t1",
    workflow: "exception",
    secrets: [{ name: "first", secret: secrets.t1 }],
  },
  "erp-ten": {
    tenantId: "t10",
    workflow: "exception",
    secrets: [{ name: "ten", secret: secrets.t10 }],
  },
};

export interface Sent {
  source?: string;
  id?: string;
  /** Every one of them signs. */
  signedBy?: string[];
  ageSeconds?: number;
  /** Replaces what a good sender would send; null leaves it out. */
  headers?: Record<string, string | null>;
}

export function bodyOf(data: Record<string, unknown> = {}, envelope = {}): string {
  const timestamp = "2026-03-01T09:00:00Z";
  const all = { reference: "R-1", ...data };
  return JSON.stringify({ type: "exception.raised", timestamp, data: all, ...envelope });
}

function eventsIn(documents: readonly Stored[]): Event[] {
  return documents.filter(({ type }) => type === "event") as unknown as Event[];
}

export function intakeWorld(
  sources: WebhookSources = defaultSources,
  providers: readonly Provider[] = [],
  telemetry: Telemetry = silentTelemetry,
) {
  const nowMs = (): number => Date.now();
  const cases = memoryCases({ nowMs });
  const hints = memoryHints({ nowMs });
  const logged: { message: string; fields: LogFields }[] = [];
  const log = (message: string, fields: LogFields): void => void logged.push({ message, fields });
  let hintCount = 0;
  const ports: IntakePorts = {
    cases,
    reports: memoryReports(cases),
    hints,
    book: bookOf({ workflows: [workflow], actions: [], providers }),
    sources: WebhookSources.parse(sources),
    caseIdKey: new Uint8Array(32).fill(7),
    nowMs,
    random: () => String((hintCount += 1)),
    log: { info: log, warn: log, error: log },
    telemetry,
  };
  const keyOf = (externalRef: string, tenantId = "t1"): CaseKey => ({
    tenantId,
    caseId: caseIdOf(ports.caseIdKey, tenantId, externalRef),
  });
  return {
    cases,
    hints,
    ports,
    logged,
    keyOf,
    /** Event documents of one case. */
    events: (externalRef = "R-1", tenantId = "t1") =>
      eventsIn(cases.stored(keyOf(externalRef, tenantId))),
    /** Event documents of every case. */
    allEvents: () => eventsIn(cases.changesSince(0).documents),
    refusals: (tenantId = "t1") =>
      cases.stored({ tenantId, caseId: refusalsCaseId }) as unknown as Refusal[],
    hintsWaiting: () => hints.waiting("cases").map(({ hint }) => hint),
    async deliver(body: string | Buffer, sent: Sent = {}) {
      const bytes = Buffer.from(body);
      const headers = signedHeaders(bytes, sent);
      const result = await recordEvent(ports, {
        source: sent.source ?? "erp",
        header: (name) => headers[name] ?? null,
        body: bytes,
      });
      const { body: text, headers: told, status } = result.response;
      const said = JSON.parse(text) as Record<string, unknown>;
      return { status, headers: told, said, text, log: result.log };
    },
  };
}

function signedHeaders(bytes: Buffer, sent: Sent): Record<string, string | null> {
  const { ageSeconds = 0, id = "dlv-1", signedBy = [secrets.t1] } = sent;
  const at = new Date(Date.now() - ageSeconds * 1000);
  const changed = sent.headers ?? {};
  const signedId = changed["webhook-id"] ?? id;
  const signatures = signedBy.map((secret) => new Webhook(secret).sign(signedId, at, bytes));
  return {
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
    "webhook-signature": signatures.join(" "),
    ...changed,
  };
}
