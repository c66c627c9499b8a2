// A person resolves a review. What is written is a finding, under a name that only one statement about this review can have: of
// two operators at once one wins, and the other is told by whom and when. A turn settles it, judging again.
//
// What is forced is only asked for here; the record of the asking waits for a second person, who is neither the one who asked nor
// the one whose request set the case going (design.md 4).
import { choicesOf, whyNotTaken } from "../../../domain/decisions/choices.ts";
import { whyLeft } from "../../../domain/decisions/leave.ts";
import { requestersOf } from "../../../domain/decisions/requesters.ts";
import type { Book } from "../../../domain/definitions.ts";
import { findingIdOf, hintIdOf, type CaseKey } from "../../../domain/identity.ts";
import { schemaVersion, type Finding, type Statement } from "../../../domain/records/evidence.ts";
import type { OperatorStore } from "../../../stores/operator-ports.ts";
import type { CaseStore, HintQueue } from "../../../stores/ports.ts";
import { TransientFault } from "../../../domain/faults.ts";
import type { Log } from "../../turn/turn.ts";
import type { Problem } from "../../problem.ts";
import { hasRole, isSamePrincipal, type Principal } from "../access/principal.ts";
import type { Reply } from "../serve.ts";
import { findReview, noSuchReview, type FoundReview } from "./find-review.ts";
import type { Confirmation, Resolution, Resolved } from "./resolution.ts";
import { saidBefore, type Told } from "./said-before.ts";

export interface ResolvePorts {
  cases: CaseStore;
  operators: OperatorStore;
  hints: HintQueue;
  book: Book;
  log: Log;
  random(): string;
}

export interface Asked<Body> {
  key: CaseKey;
  reviewId: string;
  body: Body;
  principal: Principal;
  /** Of the record of this request: what a second person confirms. */
  recordId: string;
}

/** A lost hint loses nothing: the sweep finds the finding. */
const graceMs = 15_000;

export async function resolveReview(
  ports: ResolvePorts,
  asked: Asked<Resolution>,
): Promise<Reply<Resolved>> {
  const { body, key, principal, recordId, reviewId } = asked;
  const found = await findReview(ports, key, reviewId);
  if (found === undefined) return noSuchReview;
  const { decisionId, reason } = body;
  const statement = statementOf(body);
  const before = saidBefore(found, { decisionId, by: principal.id, statement });
  if (before !== undefined) return before;
  const wrong =
    whyNotBy(principal) ??
    whyChanged(found, body.expectedVersion) ??
    whyNotPermitted(ports, found, statement);
  if (wrong !== undefined) return { kind: "problem", problem: wrong };
  if (!body.forced) {
    return tell(ports, found, { statement, decisionId, reason, by: principal.id });
  }
  const mayNotForce = whyMayNotForce(found, principal);
  if (mayNotForce !== undefined) return { kind: "problem", problem: mayNotForce };
  return { kind: "done", body: { state: "awaitsSecondPerson", requestId: recordId } };
}

export async function confirmResolution(
  ports: ResolvePorts,
  asked: Asked<Confirmation>,
): Promise<Reply<Resolved>> {
  const { body, key, principal, reviewId } = asked;
  const found = await findReview(ports, key, reviewId);
  if (found === undefined) return noSuchReview;
  const { decisionId } = body;
  const before = saidBefore(found, { decisionId, by: principal.id });
  if (before !== undefined) return before;
  const wrong = whyNotBy(principal) ?? whyChanged(found, body.expectedVersion);
  if (wrong !== undefined) return { kind: "problem", problem: wrong };
  const request = found.forceRequests.find(({ record }) => record.id === body.requestId);
  if (request === undefined) {
    const detail = "Nobody has asked for this on the review as it is now; look at it again.";
    return { kind: "problem", problem: { status: 409, slug: "nothing-to-confirm", detail } };
  }
  const { details, record } = request;
  if (isSamePrincipal(record.by, principal.id)) {
    const detail = "Whoever asked for it may not confirm it: it takes a second person.";
    return { kind: "problem", problem: { status: 403, slug: "needs-second-person", detail } };
  }
  const statement: Statement = { kind: details.how, forced: true };
  const refused = whyMayNotForce(found, principal) ?? whyNotPermitted(ports, found, statement);
  if (refused !== undefined) return { kind: "problem", problem: refused };
  return tell(ports, found, {
    statement,
    decisionId,
    reason: record.reason ?? "",
    by: record.by,
    confirmedBy: principal.id,
  });
}

function statementOf({ forced, how, providerId = "" }: Resolution): Statement {
  switch (how) {
    case "happened":
      return { kind: how, providerId };
    case "didNotHappen":
    case "retry":
      return { kind: how, forced };
    case "lookAgain":
    case "abandon":
    case "acknowledge":
    case "release":
      return { kind: how };
  }
}

function whyNotBy({ isPerson }: Principal): Problem | undefined {
  if (isPerson) return undefined;
  return { status: 403, slug: "not-a-person", detail: "Only a person may resolve a review." };
}

function whyChanged({ version }: FoundReview, expectedVersion: string): Problem | undefined {
  if (version === expectedVersion) return undefined;
  const detail = `It has changed since you looked: it is at ${version} now. Look again, then decide.`;
  return { status: 409, slug: "changed-since-seen", detail };
}

function whyNotPermitted(
  { book }: ResolvePorts,
  { review, snapshot, storeMs }: FoundReview,
  statement: Statement,
): Problem | undefined {
  if (storeMs === undefined) {
    const detail = "The store told no time, and without it no horizon can be judged; try again.";
    return { status: 503, slug: "unavailable", detail, retryAfterSeconds: 5 };
  }
  const left = whyLeft(snapshot, book, storeMs);
  if (left !== undefined) {
    const detail = `This instance leaves the case alone: ${left}. Ask again once all run the new code.`;
    return { status: 503, slug: "newer-code", detail, retryAfterSeconds: 60 };
  }
  const no = whyNotTaken(choicesOf(snapshot, review, { book, nowMs: storeMs }), statement);
  if (no === undefined) return undefined;
  const from =
    no.fromMs === undefined ? "" : ` It is permitted from ${new Date(no.fromMs).toISOString()}.`;
  const force = no.mayBeForced ? " Two overriders may force it." : "";
  return { status: 409, slug: "not-permitted", detail: `${no.why}.${from}${force}` };
}

function whyMayNotForce({ snapshot }: FoundReview, principal: Principal): Problem | undefined {
  if (!hasRole(principal, "overrider", snapshot.tenantId)) {
    const detail = "Forcing needs the role overrider for this tenant.";
    return { status: 403, slug: "forbidden", detail };
  }
  const isAsker = [...requestersOf(snapshot)].some((asker) => isSamePrincipal(asker, principal.id));
  if (!isAsker) return undefined;
  const detail = "Whoever set the case going may not force anything in it.";
  return { status: 403, slug: "may-not-force", detail };
}

async function tell(
  ports: ResolvePorts,
  found: FoundReview,
  told: {
    statement: Statement;
    decisionId: string;
    reason: string;
    by: string;
    confirmedBy?: string;
  },
): Promise<Reply<Resolved>> {
  const { effect, review, snapshot, statements, storeMs = 0 } = found;
  const { tenantId, caseId } = snapshot;
  const { by, confirmedBy, decisionId, reason, statement } = told;
  const finding: Finding = {
    // One name for the first statement, the next only after a turn has refused the one before.
    id: findingIdOf(review.subject, "statement", review.id, statements.length),
    type: "finding",
    schemaVersion,
    tenantId,
    caseId,
    operationId: review.subject,
    content: {
      kind: "statement",
      statement,
      reason,
      about: {
        reviewId: review.id,
        attempts: effect?.attempts.length ?? 0,
        toldIds: (review.providerIds ?? []).length,
      },
      decisionId,
      ...(confirmedBy === undefined ? {} : { confirmedBy }),
    },
    by,
    foundAtMs: storeMs,
    dueAtMs: storeMs + graceMs,
  };
  switch (await ports.cases.createFinding(finding)) {
    case "created":
      await hint(ports, found);
      return { kind: "done", body: { state: "recorded", findingId: finding.id } };
    case "uncertain": {
      const detail = "It may have been recorded; send the same request again.";
      const problem = { status: 503, slug: "unavailable", detail, retryAfterSeconds: 2 } as const;
      return { kind: "problem", problem };
    }
    case "exists":
      return lostTo(ports, found, { ...told, by: confirmedBy ?? by });
  }
}

/** Somebody was faster, or this very request was sent before and its answer was lost. */
async function lostTo(
  ports: ResolvePorts,
  { review, snapshot }: FoundReview,
  told: Told,
): Promise<Reply<Resolved>> {
  const now = await findReview(ports, snapshot, review.id);
  const before = now && saidBefore(now, told);
  if (before !== undefined) return before;
  const detail = "Another statement about it was refused just now; look again, then decide.";
  return { kind: "problem", problem: { status: 409, slug: "changed-since-seen", detail } };
}

async function hint(ports: ResolvePorts, { review, snapshot }: FoundReview): Promise<void> {
  const { caseId, tenantId } = snapshot;
  const key = { tenantId, caseId };
  const hintId = hintIdOf(key, "resolved", review.id, ports.random());
  try {
    await ports.hints.send("cases", { ...key, hintId, reason: "review resolved" });
  } catch (error) {
    if (!(error instanceof TransientFault)) throw error;
    ports.log.warn("a resolution is durable, and its hint was not taken", { caseId, tenantId });
  }
}
