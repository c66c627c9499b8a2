// A person answers one question about one effect (design.md 9; seed 2, Break 5).
//
// The facts of record are read again first: an approval never applies to facts that are no longer so. What differs is told to
// the case as an event, which voids the question. The first answer stands; a second is told by whom and when.
// Nothing is sent here: the answer is recorded, and a turn does the rest.
import { digestOf } from "../../../domain/canonical-json.ts";
import { forwardFacts } from "../../../domain/decisions/forward-facts.ts";
import { whyLeft } from "../../../domain/decisions/leave.ts";
import { requestersOf } from "../../../domain/decisions/requesters.ts";
import type { Book, Facts, Workflow } from "../../../domain/definitions.ts";
import { type CaseKey, hintIdOf } from "../../../domain/identity.ts";
import { isSameAnswer, type Approval } from "../../../domain/records/approval.ts";
import { schemaVersion } from "../../../domain/records/evidence.ts";
import type { Event } from "../../../domain/records/inbox.ts";
import { caseOf, type Snapshot } from "../../../domain/records/snapshot.ts";
import { refreshSource } from "../../../domain/event-type.ts";
import type { CaseStore, HintQueue } from "../../../stores/ports.ts";
import { inTime } from "../../in-time.ts";
import type { Log } from "../../turn/turn.ts";
import { isSamePrincipal, type Principal } from "../access/principal.ts";

export interface AnswerPorts {
  cases: CaseStore;
  hints: HintQueue;
  book: Book;
  log: Log;
  random(): string;
  /** How long the facts of record may take; the host ends a request, and all others beside it, after minutes. */
  refreshMsMax?: number;
}

export interface AnswerRequest {
  key: CaseKey;
  approvalId: string;
  decision: "approve" | "refuse";
  answerId: string;
  reason?: string | undefined;
  principal: Principal;
}

export type AnswerResult =
  | { kind: "answered" }
  | { kind: "missing" }
  | { kind: "refused"; why: string }
  /** The question no longer stands: the case, its facts or the time have moved on. */
  | { kind: "void"; why: string }
  | { kind: "answeredBefore"; by: string; atMs: number; decision: string }
  /** The facts of record could not be read: no answer is taken on old ones. */
  | { kind: "unavailable"; why: string };

export async function answerApproval(
  ports: AnswerPorts,
  request: AnswerRequest,
): Promise<AnswerResult> {
  const { snapshot, storeMs } = await ports.cases.read(request.key);
  const left = whyLeft(snapshot, ports.book, storeMs);
  if (left !== undefined) return { kind: "unavailable", why: `${left}; answer again later` };
  const approval = snapshot.approvals.find(({ id }) => id === request.approvalId);
  if (approval === undefined || snapshot.case === undefined) return { kind: "missing" };
  const before = toldBefore(approval, request);
  if (before !== undefined) return before;
  const history = await ports.cases.history(request.key);
  if (history === undefined) return { kind: "missing" };
  const askers = [approval.requestedBy, ...requestersOf(history.snapshot)];
  const refused = whyNotAllowed(request.principal, askers);
  if (refused !== undefined) return { kind: "refused", why: refused };
  if (storeMs === undefined) return { kind: "unavailable", why: "the store told no time" };
  const over = whyVoid(snapshot, approval, storeMs);
  if (over !== undefined) return { kind: "void", why: over };
  const refreshed = await refreshFacts(ports, request, { snapshot, storeMs });
  if (refreshed !== undefined) return refreshed;
  return write(ports, request, storeMs);
}

function toldBefore({ answer }: Approval, request: AnswerRequest): AnswerResult | undefined {
  if (answer === undefined) return undefined;
  if (isSameAnswer(answer, { ...request, by: request.principal.id })) return { kind: "answered" };
  const { by, atMs, decision } = answer;
  return { kind: "answeredBefore", by, atMs, decision };
}

function whyNotAllowed(principal: Principal, askers: readonly string[]): string | undefined {
  if (!principal.isPerson) return "only a person may answer";
  if (askers.some((asker) => isSamePrincipal(asker, principal.id))) {
    return "whoever requested it, now or earlier in this case, may not approve it";
  }
  return undefined;
}

function whyVoid(snapshot: Snapshot, approval: Approval, nowMs: number): string | undefined {
  const record = caseOf(snapshot);
  if (approval.expiresAtMs <= nowMs) return "the question has expired; a new one will be asked";
  if (record.version !== approval.version || record.plan?.decidedOn !== approval.version) {
    return "the case has moved on since this was asked";
  }
  if (snapshot.events.length > 0) return "something new has arrived and is not folded yet";
  return undefined;
}

/** Undefined: the facts are what the question showed. */
async function refreshFacts(
  ports: AnswerPorts,
  request: AnswerRequest,
  { snapshot, storeMs }: { snapshot: Snapshot; storeMs: number },
): Promise<AnswerResult | undefined> {
  const record = caseOf(snapshot);
  const workflow = ports.book.workflow(record.workflow.type);
  if (workflow?.refresh === undefined) return undefined;
  // As this code knows them: a question that was asked before a deploy stands as long as they tell the same.
  const asked = forwardFacts(record, workflow);
  if (asked.kind !== "fits") return { kind: "unavailable", why: asked.why };
  const facts = await factsOfRecord(ports, workflow, asked.facts);
  if (facts === undefined) {
    const why = "the facts of record could not be read; answer again later";
    return { kind: "unavailable", why };
  }
  if (digestOf(facts, "facts") === asked.digest) return undefined;
  const told = refreshEvent(ports, request, { snapshot, asked: asked.facts, facts, storeMs });
  if ((await ports.cases.createEvent(told)) === "uncertain") {
    const why = "the facts have changed, and that could not be recorded; answer again later";
    return { kind: "unavailable", why };
  }
  await hint(ports, request.key, "facts refreshed");
  return {
    kind: "void",
    why: "the facts have changed since this was asked; it will be decided anew",
  };
}

/** Undefined when they cannot be read, or not in time. */
async function factsOfRecord(
  { refreshMsMax = 20_000 }: AnswerPorts,
  workflow: Workflow,
  facts: Facts,
): Promise<Facts | undefined> {
  try {
    return workflow.refresh && (await inTime(workflow.refresh(facts), refreshMsMax));
  } catch {
    return undefined;
  }
}

function refreshEvent(
  ports: AnswerPorts,
  { key, principal }: AnswerRequest,
  {
    asked,
    facts,
    snapshot,
    storeMs: receivedAtMs,
  }: { snapshot: Snapshot; asked: Facts; facts: Facts; storeMs: number },
): Event {
  const record = caseOf(snapshot);
  const eventId = ports.random();
  const gone = Object.keys(asked).filter((field) => !Object.hasOwn(facts, field));
  return {
    id: `event:${refreshSource}:${eventId}`,
    type: "event",
    schemaVersion,
    ...key,
    source: refreshSource,
    eventId,
    eventType: "facts.refreshed",
    workflow: record.workflow.type,
    externalRef: record.externalRef,
    requestedBy: principal.id,
    body: { type: "facts.refreshed", data: { ...facts }, gone },
    digest: digestOf(facts, "facts"),
    // The store's time: by a worker's fast clock, what others read later would count as older, and never be told.
    orderKey: new Date(receivedAtMs).toISOString(),
    receivedAtMs,
    dueAtMs: receivedAtMs,
  };
}

async function write(
  ports: AnswerPorts,
  request: AnswerRequest,
  nowMs: number,
): Promise<AnswerResult> {
  const { key, approvalId, answerId, decision, principal, reason } = request;
  const answer = {
    answerId,
    decision,
    by: principal.id,
    atMs: nowMs,
    ...(reason === undefined ? {} : { reason }),
  };
  const written = await ports.cases.answerApproval(key, { id: approvalId, answer });
  switch (written.kind) {
    case "missing":
      return { kind: "missing" };
    case "answeredBefore":
      return toldBefore(written.approval, request) ?? { kind: "missing" };
    case "answered":
      await hint(ports, key, "approval answered");
      return { kind: "answered" };
  }
}

/** The sweep finds an approval's case only at its expiry, so the hint is tried for; the feed sees the answer, too. */
async function hint(ports: AnswerPorts, key: CaseKey, reason: string): Promise<void> {
  const hintId = hintIdOf(key, "operate", ports.random());
  await ports.hints.send("cases", { ...key, hintId, reason });
}
