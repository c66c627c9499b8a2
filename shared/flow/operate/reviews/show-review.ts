// One review on one screen: what was attempted, what is known, what the provider promises, and what each choice would do, now.
import { z } from "zod";
import { choicesOf, type Choice } from "../../../domain/decisions/choices.ts";
import { contractInWords } from "../../../domain/decisions/contract-in-words.ts";
import { horizonEndMs } from "../../../domain/decisions/send-cover.ts";
import type { Book } from "../../../domain/definitions.ts";
import type { CaseKey } from "../../../domain/identity.ts";
import type { Effect } from "../../../domain/records/effect.ts";
import { Review } from "../../../domain/records/review.ts";
import type { OperatorStore } from "../../../stores/operator-ports.ts";
import type { CaseStore } from "../../../stores/ports.ts";
import { isSamePrincipal, mayReadContent, type Principal } from "../access/principal.ts";
import { getRoute } from "../route.ts";
import type { Reply } from "../serve.ts";
import { ShownEffect, ShownFinding, showEffect, showFinding } from "../shown.ts";
import { findReview, nameOf, noSuchReview, type FoundReview } from "./find-review.ts";
import { How, ReviewParams } from "./resolution.ts";

const ShownChoice = z.object({
  how: How,
  isPermitted: z.boolean(),
  why: z.string().optional().describe("Why it is not permitted."),
  fromMs: z.int().optional().describe("When it will be, if only time is missing."),
  mayBeForced: z.boolean().describe("By two overriders."),
  consequence: z.string().describe("What choosing it does."),
});

const Shown = z.object({
  review: Review.omit({ type: true, schemaVersion: true }),
  version: z.string().describe("Send it back as `expectedVersion`."),
  storeMs: z.int().optional(),
  case: z.object({
    externalRef: z.string(),
    workflow: z.string(),
    status: z.string(),
    version: z.int(),
    held: z.string().optional(),
    requestedBy: z.string().optional(),
  }),
  effect: ShownEffect.optional().describe("What was attempted; absent when the case is held."),
  findings: z.array(ShownFinding),
  contract: z
    .object({
      provider: z.string(),
      says: z.array(z.string()),
      horizonEndsAtMs: z
        .int()
        .optional()
        .describe("Until then what left may still be applied; absent while an attempt has no end."),
    })
    .optional(),
  choices: z.array(ShownChoice),
  waitsForTurn: z.boolean().describe("True: somebody has resolved it, and a turn settles it next."),
  forceRequests: z.array(
    z.object({
      requestId: z.string(),
      how: How,
      by: z.string(),
      reason: z.string(),
      atMs: z.int(),
      isYours: z.boolean(),
    }),
  ),
});
type Shown = z.infer<typeof Shown>;

export const showReviewRoute = getRoute({
  name: "show-review",
  path: "reviews/{tenant}/{case}/{review}",
  summary:
    "One review: attempts, findings, the contract in words, and each choice with its consequence.",
  role: "reader",
  params: ReviewParams,
  answer: { schema: Shown, says: "The review as it is now." },
  problems: [404],
});

export async function showReview(
  ports: { cases: CaseStore; operators: OperatorStore; book: Book },
  wanted: { key: CaseKey; reviewId: string; principal: Principal },
): Promise<Reply<Shown>> {
  const { key, principal, reviewId } = wanted;
  const found = await findReview(ports, key, reviewId);
  if (found === undefined) return noSuchReview;
  const { effect, records, review, snapshot, statements, storeMs, version } = found;
  const { type: _type, schemaVersion: _version, ...shown } = review;
  const body: Shown = {
    review: shown,
    version,
    ...(storeMs === undefined ? {} : { storeMs }),
    case: caseShown(found),
    ...(effect === undefined
      ? {}
      : { effect: showEffect(effect, mayReadContent(principal, key.tenantId)) }),
    findings: snapshot.findings
      .filter(({ operationId }) => operationId === review.subject)
      .map(showFinding),
    ...contractShown(ports.book, effect),
    choices: review.resolution === undefined ? choicesShown(ports.book, found) : [],
    waitsForTurn: statements.some(({ folded }) => folded === undefined),
    forceRequests: found.forceRequests.map(({ details, record }) => ({
      requestId: record.id,
      how: details.how,
      by: nameOf(records, record.by),
      reason: record.reason ?? "",
      atMs: record.atMs,
      isYours: isSamePrincipal(record.by, principal.id),
    })),
  };
  return { kind: "done", body };
}

function caseShown({ snapshot }: FoundReview): Shown["case"] {
  const record = snapshot.case;
  return {
    externalRef: record?.externalRef ?? "",
    workflow: record?.workflow.type ?? "",
    status: record?.status ?? "recorded",
    version: record?.version ?? 0,
    ...(record?.held === undefined ? {} : { held: record.held.reason }),
    ...(record?.requestedBy === undefined ? {} : { requestedBy: record.requestedBy }),
  };
}

function contractShown(book: Book, effect: Effect | undefined): Pick<Shown, "contract"> {
  const provider = effect && book.provider(effect.provider);
  if (effect === undefined || provider === undefined) return {};
  const endsAtMs = horizonEndMs(effect, provider.contract);
  return {
    contract: {
      provider: provider.name,
      says: contractInWords(provider.contract),
      ...(Number.isFinite(endsAtMs) ? { horizonEndsAtMs: endsAtMs } : {}),
    },
  };
}

/** Without the store's time no horizon can be judged: then everything waits. */
function choicesShown(
  book: Book,
  { review, snapshot, storeMs = 0 }: FoundReview,
): Shown["choices"] {
  return choicesOf(snapshot, review, { book, nowMs: storeMs }).map(
    ({ kind, ...choice }: Choice) => ({ how: kind, ...choice }),
  );
}
