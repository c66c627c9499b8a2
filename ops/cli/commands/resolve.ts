// ops reviews resolve, and the second person's reviews confirm.
//
// What is sent carries the version that was looked at: with --expected-version the one of an earlier look, else of the look
// that this command takes. On another one the API takes nothing, and this ends with the code for "somebody was first".
import { Option, type Command } from "commander";
import { z } from "zod";
import { exitCodes, Failure } from "../exit-codes.ts";
import { teach } from "../lesson.ts";
import { read, type Opens, type Session } from "../session.ts";
import {
  decisionIdOf,
  decisionIdOption,
  dryRunOption,
  reasonOption,
  send,
  yesOption,
  type WriteOptions,
} from "../write.ts";
import { findReview, whyNot, type FoundReview, type ShownReview } from "./review.ts";

const hows = [
  "happened",
  "didNotHappen",
  "retry",
  "lookAgain",
  "abandon",
  "acknowledge",
  "release",
] as const;
type How = (typeof hows)[number];

/** Nothing is stated and nothing can be sent by these that would not be by itself. */
const harmless: readonly How[] = ["lookAgain", "acknowledge"];

const Resolved = z.looseObject({
  state: z.string(),
  findingId: z.string().optional(),
  requestId: z.string().optional(),
});

interface ResolveOptions extends WriteOptions {
  how: How;
  providerId?: string;
  forced?: boolean;
  expectedVersion?: string;
  decisionId?: string;
}

/** About one review, which is named by its case; it is looked at before anything is sent. */
function aboutReview(command: Command): Command {
  return command
    .argument("<case>", "the case's id, or its business reference")
    .argument("[review]", "its id; not needed when the case has only one that is open")
    .option("--expected-version <version>", "of the review as `reviews show` told it")
    .addOption(decisionIdOption)
    .addOption(dryRunOption)
    .addOption(yesOption);
}

async function lookedAt(session: Session, named: string, reviewId?: string): Promise<FoundReview> {
  return findReview(session.api, { tenant: await session.tenant(), named, reviewId });
}

export function addResolve(reviews: Command, open: Opens): void {
  teach(
    aboutReview(
      reviews
        .command("resolve")
        .description("say what is true of it, or what to do; a turn settles it by what you say")
        .addOption(
          new Option("--how <choice>", "one of the review's choices")
            .choices(hows)
            .makeOptionMandatory(),
        )
        .addOption(reasonOption)
        .option("--provider-id <id>", "with happened: the provider's own id of what happened")
        .option(
          "--forced",
          "with retry or didNotHappen: ask two overriders to go against the contract",
        ),
    ).action(
      async (named: string, id: string | undefined, options: ResolveOptions, command: Command) => {
        const session = open(command);
        await resolve(session, await lookedAt(session, named, id), options);
      },
    ),
    {
      example:
        'reviews resolve INV-20931 --how happened --provider-id CN-4711 --reason "seen in the portal, asked Ms Berg"',
      never:
        "state what you have not seen at the provider, and never force a retry because somebody waits.",
    },
  );
}

async function resolve(
  session: Session,
  { path, review: shown }: FoundReview,
  options: ResolveOptions,
): Promise<void> {
  const { expectedVersion = shown.version, forced = false, how, providerId, reason } = options;
  const decisionId = decisionIdOf(options);
  const choice = shown.choices.find((one) => one.how === how);
  if (choice === undefined && options.dryRun === true) {
    const names = shown.choices.map((one) => one.how).join(", ") || "none";
    throw new Failure(exitCodes.refused, `this review has no such choice; it has: ${names}.`);
  }
  const isForcible = forced && choice?.mayBeForced === true;
  const answer = await send(session, options, {
    path: `${path}/resolve`,
    body: {
      decisionId,
      expectedVersion,
      how,
      reason,
      ...(providerId === undefined ? {} : { providerId }),
      ...(forced ? { forced } : {}),
    },
    // Of a review that is settled already the API tells who was first.
    consequence: choice?.consequence ?? "",
    refusedBecause: choice === undefined || isForcible ? undefined : whyNot(choice),
    isDangerous: choice !== undefined && !harmless.includes(how),
  });
  if (answer === undefined) return;
  session.show(answer, () => resolvedInWords(read(Resolved, answer), shown));
}

function resolvedInWords(
  { requestId, state }: z.output<typeof Resolved>,
  { review }: Pick<ShownReview, "review">,
): string {
  if (state === "recorded")
    return "Recorded; a turn settles it next, and `reviews show` tells how.";
  return [
    "Nothing is done yet: a second person with the role overrider must confirm it, with",
    `  npm run ops -- reviews confirm ${review.caseId} ${review.id} --request ${requestId ?? ""} --reason "..."`,
  ].join("\n");
}

interface ConfirmOptions extends WriteOptions {
  request?: string;
  expectedVersion?: string;
  decisionId?: string;
}

export function addConfirm(reviews: Command, open: Opens): void {
  teach(
    aboutReview(
      reviews
        .command("confirm")
        .description("the second person's word on what another asked to force")
        .addOption(reasonOption)
        .option("--request <id>", "what was asked; not needed when there is one"),
    ).action(
      async (named: string, id: string | undefined, options: ConfirmOptions, command: Command) => {
        const session = open(command);
        await confirm(session, await lookedAt(session, named, id), options);
      },
    ),
    {
      example: 'reviews confirm INV-20931 --reason "read the mail server\'s log with Ivo"',
      never:
        "confirm what you have not checked yourself: yours is the last look before it is sent.",
    },
  );
}

async function confirm(
  session: Session,
  { path, review: shown }: FoundReview,
  options: ConfirmOptions,
): Promise<void> {
  const { expectedVersion = shown.version, reason } = options;
  const asked = shown.forceRequests.filter(
    ({ isYours, requestId }) => options.request === requestId || (!options.request && !isYours),
  );
  const [request] = asked;
  const requestId = options.request ?? request?.requestId;
  if (requestId === undefined) {
    throw new Failure(exitCodes.conflict, "nobody else has asked to force anything here.");
  }
  if (asked.length > 1) {
    const ids = asked.map((one) => `${one.requestId} (${one.how}, ${one.by})`).join(", ");
    throw new Failure(exitCodes.usage, `several were asked; choose one with --request: ${ids}.`);
  }
  const choice = shown.choices.find(({ how }) => how === request?.how);
  const answer = await send(session, options, {
    path: `${path}/confirm`,
    body: { decisionId: decisionIdOf(options), requestId, expectedVersion, reason },
    consequence: choice?.consequence ?? "",
    isDangerous: true,
  });
  if (answer === undefined) return;
  session.show(answer, () => resolvedInWords(read(Resolved, answer), shown));
}
