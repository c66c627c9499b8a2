// What an operator sends to resolve a review, and what comes back: the schemas of the routes `resolve-review` and
// `confirm-resolution`.
import { z } from "zod";
import type { Statement } from "../../../domain/records/evidence.ts";
import { CaseId, DecisionId, postRoute, Reason, Tenant } from "../route.ts";

export const resolveAction = "resolve-review";

const hows = [
  "happened",
  "didNotHappen",
  "retry",
  "lookAgain",
  "abandon",
  "acknowledge",
  "release",
] as const satisfies readonly Statement["kind"][];

export const How = z
  .enum(hows)
  .describe("One of the review's choices: `choices` says which are permitted, and what each does.");

export const ReviewParams = z.strictObject({
  tenant: Tenant,
  case: CaseId,
  review: z.string().regex(/^review:(case|[a-z2-7]{26}):\d{1,9}$/, "use the id of a review"),
});

const ExpectedVersion = z
  .string()
  .min(1)
  .max(200)
  .describe("`version` of the review as it was shown: on another one, nothing is taken.");

export const Resolution = z
  .strictObject({
    decisionId: DecisionId,
    expectedVersion: ExpectedVersion,
    how: How,
    providerId: z
      .string()
      .trim()
      .min(1)
      .max(500)
      .optional()
      .describe("With `happened`: the provider's own id of what happened."),
    forced: z
      .boolean()
      .default(false)
      .describe(
        "With `didNotHappen` or `retry`: against the horizon or the contract. It takes the role overrider, and a second person who confirms.",
      ),
    reason: Reason,
  })
  .superRefine(({ forced, how, providerId }, context) => {
    const wrong = (field: string, message: string) =>
      context.addIssue({ code: "custom", path: [field], message });
    if (how === "happened" && providerId === undefined)
      wrong("providerId", "give the provider's own id of what happened");
    if (how !== "happened" && providerId !== undefined) wrong("providerId", "only with `happened`");
    if (forced && how !== "didNotHappen" && how !== "retry")
      wrong("forced", "only with `didNotHappen` or `retry`");
  });
export type Resolution = z.output<typeof Resolution>;

/** What is kept of a forced request until a second person confirms it. */
export const ForceDetails = z.object({
  how: z.enum(["didNotHappen", "retry"]),
  forced: z.literal(true),
  expectedVersion: z.string(),
});
export type ForceDetails = z.infer<typeof ForceDetails>;

export const Resolved = z.object({
  state: z
    .enum(["recorded", "awaitsSecondPerson"])
    .describe(
      "recorded: a turn settles it next, and the review then shows how. awaitsSecondPerson: nothing is done yet.",
    ),
  findingId: z.string().optional(),
  requestId: z.string().optional().describe("For the second person to confirm."),
});
export type Resolved = z.infer<typeof Resolved>;

const onReview = {
  params: ReviewParams,
  answer: { status: 202, schema: Resolved, says: "The statement is durable." },
};

export const resolveReviewRoute = postRoute({
  ...onReview,
  name: resolveAction,
  path: "reviews/{tenant}/{case}/{review}/resolve",
  summary: "Resolves a review: the statement is recorded, and a turn settles it.",
  role: "operator",
  body: Resolution,
  problems: [404, 409],
  record: ({ body, params }) => ({
    subject: params.review,
    decisionId: body.decisionId,
    reason: body.reason,
    details: {
      how: body.how,
      forced: body.forced,
      expectedVersion: body.expectedVersion,
      ...(body.providerId === undefined ? {} : { providerId: body.providerId }),
    },
  }),
});

export const Confirmation = z.strictObject({
  decisionId: DecisionId,
  requestId: z.string().min(1).max(200).describe("`requestId` of what another person asked for."),
  expectedVersion: ExpectedVersion,
  reason: Reason,
});
export type Confirmation = z.output<typeof Confirmation>;

export const confirmResolutionRoute = postRoute({
  ...onReview,
  name: "confirm-resolution",
  path: "reviews/{tenant}/{case}/{review}/confirm",
  summary:
    "The second person's word on a forced resolution: only now is it recorded as a statement.",
  role: "overrider",
  body: Confirmation,
  problems: [404, 409],
  record: ({ body, params }) => ({
    subject: params.review,
    decisionId: body.decisionId,
    reason: body.reason,
    details: { requestId: body.requestId, expectedVersion: body.expectedVersion },
  }),
});
