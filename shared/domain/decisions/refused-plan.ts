// Why a plan is refused as a whole, before anything of it is frozen: its case is held with the reason. Pure.
//
// What a decider asks for is checked here against what is registered and what a batch can hold. Ids, keys and grants that a
// decider, or its model, might add are never read at all.
import { whyNotJson } from "../canonical-json.ts";
import type { Book, Decision } from "../definitions.ts";
import { caseOf, findEffect, type Snapshot } from "../records/snapshot.ts";

type PlanDecision = Decision & { kind: "plan" };

export const planEffectsMax = 40;
/** The plan and its case must fit into one transaction of 2 MB. */
const planBytesMax = 512 * 1024;

export function whyPlanRefused(
  snapshot: Snapshot,
  decision: PlanDecision,
  book: Book,
): string | undefined {
  const { workflow } = caseOf(snapshot);
  return (
    whyStatusUnknown(decision, workflow.type, book) ??
    whyTooMany(decision, book) ??
    firstReason(requestsOf(decision), (request) => whyRequestInvalid(request, book)) ??
    whyNotificationAsks(snapshot, decision, book) ??
    whyNotificationCompensates(decision) ??
    whyPayloadsTooLarge(decision) ??
    firstReason(requestsOf(decision), (request) => whyNoCompensation(snapshot, request))
  );
}

type Request = PlanDecision["actions"][number];

function requestsOf({ actions, notifications }: PlanDecision): Request[] {
  return [...actions, ...notifications];
}

function firstReason(
  requests: readonly Request[],
  why: (request: Request) => string | undefined,
): string | undefined {
  for (const request of requests) {
    const reason = why(request);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

/** A case in a status that its workflow does not have would rest there for good, and nobody would be told. */
function whyStatusUnknown(
  { nextStatus }: PlanDecision,
  type: string,
  book: Book,
): string | undefined {
  const statuses = book.workflow(type)?.statuses ?? {};
  return Object.hasOwn(statuses, nextStatus) ? undefined : `${nextStatus} is no status of ${type}`;
}

function whyTooMany(decision: PlanDecision, book: Book): string | undefined {
  const { actions, notifications } = decision;
  if (actions.length > planEffectsMax || notifications.length > planEffectsMax) {
    return `a plan has at most ${planEffectsMax} effects`;
  }
  const sealed = requestsOf(decision).filter(({ action }) => book.action(action)?.sensitive);
  return actions.length + sealed.length > planEffectsMax
    ? `a plan has at most ${planEffectsMax} effects, and each sensitive payload counts as one more`
    : undefined;
}

function whyRequestInvalid(request: Request, book: Book): string | undefined {
  const action = book.action(request.action);
  if (action === undefined) return `no action ${request.action} is defined`;
  const { error } = action.payload.safeParse(request.payload);
  if (error !== undefined) {
    const fields = error.issues.map((issue) => issue.path.join(".")).join(", ");
    return `the payload of ${request.action} is not valid in: ${fields}`;
  }
  return whyNotJson(request.payload, `the payload of ${request.action}`);
}

/** The commit has been made by then, so there is nothing left that a person could approve. */
function whyNotificationAsks(
  { tenantId }: Snapshot,
  { notifications }: PlanDecision,
  book: Book,
): string | undefined {
  const asking = notifications.find(
    ({ action, asksFirst }) => asksFirst === true || book.asksFirst(tenantId, action),
  );
  return (
    asking &&
    `${asking.action} needs an approval, and a notification asks for none: plan it as an action`
  );
}

/** No notification is compared with what was done before, so one would compensate the same effect again at each commit. */
function whyNotificationCompensates({ notifications }: PlanDecision): string | undefined {
  const telling = notifications.find(({ compensates }) => compensates !== undefined);
  return (
    telling &&
    `${telling.action} would compensate, and a notification only tells: plan it as an action`
  );
}

function whyPayloadsTooLarge(decision: PlanDecision): string | undefined {
  const payloads = requestsOf(decision).map(({ payload }) => payload);
  return Buffer.byteLength(JSON.stringify(payloads)) > planBytesMax
    ? `the payloads of a plan have at most ${planBytesMax} bytes`
    : undefined;
}

/** Nothing compensates because a confirmation is missing: only a confirmed effect can be compensated. */
function whyNoCompensation(
  snapshot: Snapshot,
  { action, compensates }: Request,
): string | undefined {
  if (compensates === undefined) return undefined;
  const named = findEffect(snapshot, compensates);
  return named?.status === "confirmed"
    ? undefined
    : `${action} would compensate an effect that is ${named?.status ?? "not there"}`;
}
