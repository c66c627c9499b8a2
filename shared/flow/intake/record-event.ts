// Intake: one delivery becomes one event document, durable before its sender is told so (design.md 7).
//
//   unknown source -> 404    too large -> 413    not signed -> 400, 401    broken -> 400
//   new -> 202               known, same body -> 202, duplicate            known, other body -> 409
//   the store cannot say -> 503: the sender sends again, and the event's id makes that safe
//
// The hint after the write may fail: the event is due and the sweep finds it, so the answer stays 202 (cases.md 4). A
// delivery that was signed and is refused all the same leaves a record of its own: nothing signed
// vanishes. The event's id is the sender's; a delivery without one is refused, never guessed (cases.md 5).
import { createHash } from "node:crypto";
import type { Book } from "../../domain/definitions.ts";
import { caseIdOf, caseKeyText, hintIdOf } from "../../domain/identity.ts";
import type { Event } from "../../domain/records/inbox.ts";
import type { CaseStore, HintQueue, ReportStore } from "../../stores/ports.ts";
import { createEventOnce } from "./create-event-once.ts";
import { documentIdPart } from "./document-id-part.ts";
import {
  bodyBytesMax,
  datedAhead,
  eventIdLengthMax,
  eventIdReused,
  invalidBody,
  tooLarge,
  unavailable,
  notOurReport,
  unknownSource,
  wrongEventId,
} from "./intake-problems.ts";
import { keepRefusal } from "./keep-refusal.ts";
import { newEvent } from "./new-event.ts";
import { recordReport } from "./record-report.ts";
import { problem, type Problem, type ProblemResponse } from "../problem.ts";
import { readEvent, type ReadEvent } from "./read-event.ts";
import { withoutByteOrderMark } from "./read-json.ts";
import type { Telemetry } from "../../telemetry/telemetry.ts";
import type { Log, LogFields } from "../turn/turn.ts";
import { verifyWebhook, type SignedBytes, type Verification } from "./verify-webhook.ts";
import { traceIntake } from "./trace-intake.ts";
import { sourceOf, type WebhookSource, type WebhookSources } from "./webhook-sources.ts";

export interface IntakePorts {
  cases: CaseStore;
  reports: ReportStore;
  hints: HintQueue;
  book: Book;
  sources: WebhookSources;
  caseIdKey: Uint8Array;
  nowMs(): number;
  random(): string;
  log: Log;
  telemetry: Telemetry;
}

export interface Delivery extends SignedBytes {
  source: string;
  /** W3C trace context of the request. */
  traceparent?: string;
}

export type IntakeResult = { log: LogFields } & (
  | { kind: "recorded"; response: ProblemResponse }
  | { kind: "refused"; problem: Problem; response: ProblemResponse }
);

/** Beyond it not even the signature is looked at: hashing costs time that anybody could make us spend. */
export const signedBytesMax = 8 * 1024 * 1024;

interface Intake {
  ports: IntakePorts;
  delivery: Delivery;
  source: WebhookSource;
  eventId: string;
  /** Of the body without its byte-order mark. */
  content: Buffer;
  digest: string;
  receivedAtMs: number;
  verification: Verification;
  log: LogFields;
}

export function recordEvent(ports: IntakePorts, delivery: Delivery): Promise<IntakeResult> {
  return traceIntake(ports.telemetry, delivery.traceparent, () => record(ports, delivery));
}

async function record(ports: IntakePorts, delivery: Delivery): Promise<IntakeResult> {
  const source = sourceOf(ports.sources, delivery.source);
  // An unknown name is the sender's own text: it is logged short and answered not at all.
  const log = { source: delivery.source.slice(0, 64), bodyBytes: delivery.body.length };
  if (source === undefined) return refused(unknownSource, log);
  if (delivery.body.length > signedBytesMax) return refused(tooLarge, log);
  const receivedAtMs = ports.nowMs();
  const verification = verifyWebhook(source, delivery, receivedAtMs);
  const eventId = delivery.header("webhook-id") ?? "";
  const content = withoutByteOrderMark(delivery.body);
  const digest = createHash("sha256").update(content).digest("hex");
  const intake: Intake = {
    ports,
    delivery,
    source,
    eventId,
    content,
    digest,
    receivedAtMs,
    verification,
    log: { ...log, ...logOf(verification), eventId: eventId.slice(0, eventIdLengthMax) },
  };
  const wrong = delivery.body.length > bodyBytesMax ? tooLarge : wrongEventId(eventId);
  if (wrong !== undefined) return refuse(intake, wrong);
  if (verification.kind === "unsigned") return refuse(intake, verification.problem);
  return recordSigned(intake);
}

function logOf(verification: Verification): LogFields {
  if (verification.kind === "signed") return { secretName: verification.secretName };
  const { endedSecretName } = verification;
  return endedSecretName === undefined ? {} : { endedSecretName };
}

/** What a provider says of an effect is evidence for the ledger, and never a fact of the case. */
async function recordFromProvider(intake: Intake, provider: string): Promise<IntakeResult> {
  const { ports, delivery, source, eventId, content, digest, receivedAtMs } = intake;
  const known = ports.book.provider(provider);
  if (known === undefined) {
    return refused(unavailable("The provider of this source is not known here."), intake.log);
  }
  const recorded = await recordReport(ports, {
    provider: known,
    source: { name: delivery.source, tenantId: source.tenantId },
    eventId,
    content,
    digest,
    receivedAtMs,
  });
  const log = { ...intake.log, result: recorded.kind };
  switch (recorded.kind) {
    case "recorded":
      return answered({ matched: true, duplicate: recorded.duplicate }, log);
    case "kept":
      return answered({ matched: false, duplicate: recorded.duplicate }, log);
    case "notOurs": {
      const kept = await refuse(intake, notOurReport);
      return kept.kind === "refused" && kept.problem.status === 503
        ? kept
        : answered({ matched: false }, log);
    }
    case "notKnown":
      return refused(unavailable("The report could not be recorded."), log);
  }
}

function answered(body: Record<string, boolean>, log: LogFields): IntakeResult {
  const headers = { "content-type": "application/json" };
  const response = { status: 202, headers, body: JSON.stringify(body) };
  return { kind: "recorded", response, log: { ...log, duplicate: body["duplicate"] } };
}

async function recordSigned(intake: Intake): Promise<IntakeResult> {
  const { ports, source, content } = intake;
  if (source.provider !== undefined) return recordFromProvider(intake, source.provider);
  const workflow = ports.book.workflow(source.workflow ?? "");
  if (workflow === undefined) {
    return refused(unavailable("The workflow of this source is not running here."), intake.log);
  }
  const read = readEvent(workflow, content);
  if (read.kind === "broken") return refuse(intake, invalidBody(read.errors));
  const ahead = datedAhead(read.orderKey, intake.receivedAtMs);
  if (ahead !== undefined) return refuse(intake, ahead);
  const event = eventOf(intake, read);
  const log = { ...intake.log, caseKey: caseKeyText(event) };
  const recorded = await ports.telemetry.span("record", { outside: true }, () =>
    createEventOnce(ports.cases, event),
  );
  switch (recorded.kind) {
    case "created":
      await sendHint(intake, event);
      return accepted(event, { ...log, duplicate: false });
    case "duplicate":
      if (recorded.unfolded) await sendHint(intake, event);
      return accepted(event, { ...log, duplicate: true });
    case "otherContent":
      return refuse({ ...intake, log }, eventIdReused);
    case "notKnown":
      return refused(unavailable("The event could not be recorded."), log);
  }
}

function eventOf(intake: Intake, read: ReadEvent & { kind: "event" }): Event {
  const { ports, delivery, digest, eventId, receivedAtMs, source } = intake;
  const { body, eventType, externalRef, orderKey } = read;
  const { tenantId, workflow = "" } = source;
  return newEvent({
    tenantId,
    caseId: caseIdOf(ports.caseIdKey, tenantId, externalRef),
    source: delivery.source,
    eventId,
    eventType,
    workflow,
    externalRef,
    body,
    digest,
    orderKey,
    receivedAtMs,
  });
}

async function sendHint(intake: Intake, event: Event): Promise<void> {
  const { ports, log } = intake;
  const { tenantId, caseId } = event;
  const hintId = hintIdOf(event, event.id, ports.random());
  try {
    await ports.hints.send("cases", { tenantId, caseId, hintId, reason: "event" });
  } catch (error) {
    // Whatever it is: the event is durable and due, and its sender must not be told otherwise.
    const why = error instanceof Error ? error.name : typeof error;
    ports.log.warn("hint not sent; the sweep finds the event", { ...log, hintId, why });
  }
}

function accepted(event: Event, log: LogFields & { duplicate: boolean }): IntakeResult {
  const { tenantId, caseId, eventId } = event;
  const body = JSON.stringify({ tenantId, caseId, eventId, duplicate: log.duplicate });
  const headers = { "content-type": "application/json" };
  return { kind: "recorded", response: { status: 202, headers, body }, log };
}

function refused(wrong: Problem, log: LogFields): IntakeResult {
  const fields = { ...log, problem: wrong.slug };
  return { kind: "refused", problem: wrong, response: problem(wrong), log: fields };
}

/** Keeps a record of what was signed; if that cannot be kept, the sender is asked to send again. */
async function refuse(intake: Intake, wrong: Problem): Promise<IntakeResult> {
  const { ports, delivery, digest, log, source, verification } = intake;
  if (verification.kind === "unsigned") return refused(wrong, log);
  const kept = await keepRefusal(ports.cases, {
    tenantId: source.tenantId,
    source: delivery.source,
    eventId: intake.eventId.slice(0, eventIdLengthMax),
    documentIdPart: documentIdPart(intake.eventId),
    problem: wrong,
    bodyDigest: digest,
    bodyBytes: delivery.body.length,
    receivedAtMs: intake.receivedAtMs,
  });
  if (kept) return refused(wrong, log);
  return refused(unavailable("The delivery is refused, and that could not be recorded."), log);
}
