// One review as the API shows it: found by its case, and told on one screen.
import { z } from "zod";
import { pathOf, type Api } from "../api.ts";
import { exitCodes, Failure } from "../exit-codes.ts";
import { caseIdOf, read } from "../session.ts";
import { facts, fields, printable, table, time } from "../show.ts";
import { Effect } from "./cases.ts";

const Choice = z.looseObject({
  how: z.string(),
  isPermitted: z.boolean(),
  why: z.string().optional(),
  fromMs: z.int().optional(),
  mayBeForced: z.boolean(),
  consequence: z.string(),
});

const Shown = z.looseObject({
  review: z.looseObject({
    id: z.string(),
    caseId: z.string(),
    kind: z.string(),
    why: z.string(),
    consequence: z.string(),
    openedAtMs: z.int(),
    providerIds: z.array(z.string()).optional(),
    resolution: z.looseObject({ how: z.string(), by: z.string(), atMs: z.int() }).optional(),
  }),
  version: z.string(),
  case: z.looseObject({
    externalRef: z.string(),
    workflow: z.string(),
    status: z.string(),
    version: z.int(),
    held: z.string().optional(),
    requestedBy: z.string().optional(),
  }),
  effect: Effect.optional(),
  findings: z.array(
    z.looseObject({
      says: z.string(),
      by: z.string(),
      foundAtMs: z.int(),
      verdict: z.string().optional(),
    }),
  ),
  contract: z
    .looseObject({
      provider: z.string(),
      says: z.array(z.string()),
      horizonEndsAtMs: z.int().optional(),
    })
    .optional(),
  choices: z.array(Choice),
  waitsForTurn: z.boolean(),
  forceRequests: z.array(
    z.looseObject({
      requestId: z.string(),
      how: z.string(),
      by: z.string(),
      reason: z.string(),
      atMs: z.int(),
      isYours: z.boolean(),
    }),
  ),
});
export type ShownReview = z.output<typeof Shown>;

export interface FoundReview {
  caseId: string;
  path: string;
  answer: unknown;
  review: ShownReview;
}

const Reviews = z.looseObject({
  reviews: z.array(
    z.looseObject({ id: z.string(), kind: z.string(), resolution: z.unknown().optional() }),
  ),
});

export async function findReview(
  api: Api,
  wanted: { tenant: string; named: string; reviewId: string | undefined },
): Promise<FoundReview> {
  const { named, tenant } = wanted;
  const caseId = await caseIdOf(api, tenant, named);
  const reviewId = wanted.reviewId ?? (await onlyReview(api, { tenant, caseId, named }));
  const path = pathOf("reviews", tenant, caseId, reviewId);
  const answer = await api.get(path);
  return { caseId, path, answer, review: read(Shown, answer) };
}

async function onlyReview(
  api: Api,
  of: { tenant: string; caseId: string; named: string },
): Promise<string> {
  const { reviews } = read(Reviews, await api.get(pathOf("cases", of.tenant, of.caseId)));
  const open = reviews.filter(({ resolution }) => (resolution ?? undefined) === undefined);
  const [first] = open;
  if (first !== undefined && open.length === 1) return first.id;
  // The last one that was settled is shown rather than nothing: somebody may have been faster.
  const last = reviews.at(-1);
  if (first === undefined && last !== undefined) return last.id;
  const [code, what] =
    first === undefined
      ? [exitCodes.refused, `${of.named} has no review.`]
      : [
          exitCodes.usage,
          `${of.named} has several open reviews; name one: ${open.map(({ id, kind }) => `${id} (${kind})`).join(", ")}.`,
        ];
  throw new Failure(code, what);
}

export function reviewInWords(shown: ShownReview): string {
  const { contract, effect, findings } = shown;
  return [
    headInWords(shown),
    ...(effect === undefined ? [] : ["", effectInWords(effect)]),
    ...(findings.length === 0
      ? []
      : [
          "",
          table(
            ["found", "what", "by", "made of it"],
            findings.map((one) => [
              time(one.foundAtMs),
              one.says,
              one.by,
              one.verdict ?? "not folded yet",
            ]),
          ),
        ]),
    ...(contract === undefined
      ? []
      : [
          "",
          facts([
            [
              `contract of ${contract.provider}`,
              [...contract.says, horizonInWords(contract)].join("\n"),
            ],
          ]),
        ]),
    "",
    choicesInWords(shown),
  ].join("\n");
}

function headInWords({ case: of, forceRequests, review, version, waitsForTurn }: ShownReview) {
  const { resolution } = review;
  return facts([
    ["review", `${review.id} of case ${review.caseId}`],
    ["case", `${of.externalRef} (${of.workflow}): ${of.status}, version ${of.version}`],
    ["held", of.held],
    ["requested by", of.requestedBy],
    ["kind", review.kind],
    ["why", review.why],
    ["the provider calls it", review.providerIds?.join(", ")],
    ["a wrong choice", review.consequence],
    ["open since", time(review.openedAtMs)],
    ["version", version],
    [
      "resolved",
      resolution && `${resolution.how}, by ${resolution.by} at ${time(resolution.atMs)}`,
    ],
    ["resolved", waitsForTurn ? "somebody has; a turn settles it next" : undefined],
    ...forceRequests.map((asked): [string, string] => [
      "asked to force",
      `${asked.how}, by ${asked.by} at ${time(asked.atMs)}: ${asked.reason}\n` +
        (asked.isYours
          ? "a second person must confirm it"
          : `confirm it with --request ${asked.requestId}`),
    ]),
  ]);
}

function effectInWords(effect: Effect): string {
  const hidden = effect.isHidden === true ? "not for your role" : undefined;
  const told = facts([
    ["effect", effect.action],
    ["operation", effect.operationId],
    ["status", [effect.status, effect.reason].filter(Boolean).join(": ")],
    ["target", effect.target ?? hidden],
    ["payload, frozen", fields(effect.payload) ?? hidden],
  ]);
  const tried = table(
    ["attempt", "claimed", "ended", "how"],
    effect.attempts.map(({ claimedAtMs, end, n }) => [
      String(n),
      time(claimedAtMs),
      time(end?.atMs),
      end === undefined ? "not known" : [end.kind, end.reason].filter(Boolean).join(": "),
    ]),
    "It was never attempted.",
  );
  return `${told}\n\n${tried}`;
}

function horizonInWords(contract: { horizonEndsAtMs?: number | undefined }): string {
  return contract.horizonEndsAtMs === undefined
    ? "what has left may still be applied: an attempt has no end yet"
    : `what has left can be applied until ${time(contract.horizonEndsAtMs)}`;
}

function choicesInWords({ choices, review, version }: ShownReview): string {
  if (choices.length === 0) return "There is nothing to choose.";
  const lines = choices.flatMap((choice) => [
    `  ${choice.how}: ${printable(choice.consequence)}`,
    ...(choice.isPermitted ? [] : [`    not permitted: ${printable(whyNot(choice) ?? "")}`]),
  ]);
  return [
    "Choices:",
    ...lines,
    "",
    "As you see it now:",
    `  npm run ops -- reviews resolve ${review.caseId} ${review.id} --expected-version ${version} --how HOW --reason "..."`,
  ].join("\n");
}

export function whyNot(choice: z.output<typeof Choice>): string | undefined {
  if (choice.isPermitted) return undefined;
  const from = choice.fromMs === undefined ? "" : `; permitted from ${time(choice.fromMs)}`;
  const force = choice.mayBeForced ? "; two overriders may force it (--forced)" : "";
  return `${choice.why ?? "not now"}${from}${force}`;
}
