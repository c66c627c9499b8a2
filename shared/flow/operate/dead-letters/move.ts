// What is done with dead letters, as requests and answers say it: resubmit, archive, edit. Dry unless told otherwise.
//
// One request moves a bounded number and answers within seconds; `next` goes on with the same run. A run covers what was there
// when it began, and never what it sent itself.
import { z } from "zod";
import { cursorOf } from "../page.ts";
import { DecisionId, postRoute, Reason } from "../route.ts";
import { LetterFilter, SequenceNumber } from "./letter.ts";
import { OfQueue } from "./list-dead-letters.ts";
import { Preview } from "./preview.ts";

export const Run = z.object({
  id: z.string().max(60),
  /** Nothing behind it was there when the run began. */
  through: SequenceNumber,
  total: z.int(),
  /** There were more than one look could see. */
  isMore: z.boolean().optional(),
  /** Of these, how many the run has dealt with. */
  dealt: z.int(),
  /** A rehearsal's position says nothing to a run that moves. */
  dry: z.boolean(),
  /** What the run has dealt with, or has passed over. */
  after: SequenceNumber.optional(),
});
export type Run = z.infer<typeof Run>;

export const Moved = z.object({
  sequenceNumber: z.string(),
  outcome: z.enum(["resubmitted", "archived", "parked", "failed", "skipped"]),
  why: z.string().optional(),
  newMessageId: z.string().optional(),
  preview: Preview.optional().describe("On a dry run: what a resubmit would do."),
});
export type Moved = z.infer<typeof Moved>;

export const MoveAnswer = z.object({
  runId: z.string(),
  dryRun: z.boolean().describe("True: nothing was moved; this is what would be."),
  total: z.int().describe("Letters that the filter met when the run began."),
  resubmitted: z.int(),
  archived: z.int(),
  parked: z.int().describe("Archived because they have come back too often."),
  failed: z.int().describe("They stay where they are; `letters` says why."),
  skipped: z.int(),
  letters: z.array(Moved).describe("Each one of this request."),
  done: z.boolean(),
  next: z.string().optional().describe("Send the same request with it as `cursor` to go on."),
  isMore: z
    .literal(true)
    .optional()
    .describe("There were more than one look could see: begin another run when this one is done."),
  left: z.int().optional().describe("When done: how many of the run still lie there."),
  stopped: z.string().optional().describe("Why it stopped early: look before you go on."),
});
export type MoveAnswer = z.infer<typeof MoveAnswer>;

const moveBody = z.strictObject({
  filter: LetterFilter.default({}),
  dryRun: z.boolean().default(true).describe("Say false to move anything."),
  max: z.int().min(1).max(500).default(100).describe("Letters of one request."),
  cursor: cursorOf(Run),
  reason: Reason,
  decisionId: DecisionId.optional(),
});
export type MoveBody = z.output<typeof moveBody>;

export const resubmitRoute = moveRoute(
  "resubmit",
  "Sends copies to the queue again, and only then removes the dead letters.",
);
export const archiveRoute = moveRoute(
  "archive",
  "Keeps dead letters as records with the reason, and only then removes them.",
);

function moveRoute(does: "resubmit" | "archive", summary: string) {
  return postRoute({
    name: `${does}-dead-letters`,
    path: `dead-letters/{tenant}/{queue}/${does}`,
    summary,
    role: "operator",
    params: OfQueue,
    body: moveBody,
    answer: { status: 200, schema: MoveAnswer, says: "What was moved, and how to go on." },
    problems: [],
    record: ({ body, params }) => recordOf(params, body),
  });
}

export const editRoute = postRoute({
  name: "edit-dead-letter",
  path: "dead-letters/{tenant}/{queue}/letters/{sequence}/edit",
  summary: "Archives one dead letter, sends another hint instead of it, and removes it.",
  role: "operator",
  params: OfQueue.extend({ sequence: SequenceNumber }),
  body: z.strictObject({
    caseKey: z
      .string()
      .regex(/^[a-z0-9-]{1,64}:[a-z2-7]{26}$/, "use the tenant, a colon and the case id")
      .describe("The case to look at; its session, too."),
    dryRun: z.boolean().default(true),
    reason: Reason,
    decisionId: DecisionId.optional(),
  }),
  answer: { status: 200, schema: MoveAnswer, says: "What was moved." },
  problems: [404],
  record: ({ body, params }) =>
    body.dryRun
      ? undefined
      : {
          subject: `dead-letter:${params.queue}:${params.sequence}`,
          reason: body.reason,
          decisionId: body.decisionId,
          details: { caseKey: body.caseKey },
        },
});

/** Of each request of a run one record: it says what this one moved. */
function recordOf({ queue }: { queue: string }, body: MoveBody) {
  if (body.dryRun) return undefined;
  const { cursor, decisionId, filter, reason } = body;
  const part = cursor?.after === undefined ? "" : `.${cursor.after}`;
  return {
    subject: `dead-letters:${queue}`,
    reason,
    ...(decisionId === undefined ? {} : { decisionId: `${decisionId}${part}` }),
    details: {
      filter: JSON.stringify(filter),
      ...(cursor === undefined ? {} : { runId: cursor.id }),
    },
  };
}
