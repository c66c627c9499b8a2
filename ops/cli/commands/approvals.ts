// ops approvals: questions to a person about one effect, and the one answer.
import { Option, type Command } from "commander";
import { z } from "zod";
import { pathOf, type Api } from "../api.ts";
import { exitCodes, Failure } from "../exit-codes.ts";
import { teach } from "../lesson.ts";
import {
  caseIdOf,
  list,
  listOptions,
  moreHint,
  read,
  type ListOptions,
  type Opens,
} from "../session.ts";
import { facts, fields, table, time } from "../show.ts";
import {
  decisionIdOf,
  decisionIdOption,
  dryRunOption,
  reasonOption,
  send,
  yesOption,
  type WriteOptions,
} from "../write.ts";
import { Effect } from "./cases.ts";

const Approval = z.looseObject({
  id: z.string(),
  caseId: z.string(),
  externalRef: z.string(),
  action: z.string(),
  target: z.string().optional(),
  consequence: z.string(),
  requestedBy: z.string(),
  askedAtMs: z.int(),
  expiresAtMs: z.int(),
  stands: z.boolean(),
  mayAnswer: z.boolean(),
  answer: z.looseObject({ decision: z.string(), by: z.string(), atMs: z.int() }).optional(),
});

const Shown = z.looseObject({
  approval: Approval,
  effect: Effect,
  facts: z.record(z.string(), z.unknown()).optional(),
  version: z.int(),
});
type Shown = z.output<typeof Shown>;

interface AnswerOptions extends WriteOptions {
  decision: "approve" | "refuse";
  decisionId?: string;
}

export function addApprovals(program: Command, open: Opens): void {
  const approvals = program.command("approvals").description("questions that a person must answer");

  const listed = approvals
    .command("list")
    .description("those that nobody has answered, oldest first")
    .action(async (options: ListOptions, command: Command) => {
      const session = open(command);
      const tenant = await session.tenant();
      const wanted = { path: pathOf("approvals", tenant), name: "approvals", row: Approval };
      const { answer, next, rows } = await list(session.api, { ...wanted, ...options });
      session.show(answer, () =>
        table(
          ["reference", "action", "expires", "you may", "approval", "case"],
          rows.map((row) => [
            row.externalRef,
            row.action,
            time(row.expiresAtMs),
            mayInWords(row),
            row.id,
            row.caseId,
          ]),
          "No question is open here.",
        ),
      );
      moreHint(session, next);
    });
  for (const option of listOptions) listed.addOption(option);
  teach(listed, { example: "approvals list" });

  teach(
    approvals
      .command("show")
      .description("one question: what exactly would be sent, and the facts that it rests on")
      .argument("<case>", "the case's id, or its business reference")
      .argument("[approval]", "its id; not needed when the case has only one that is open")
      .action(async (named: string, id: string | undefined, _: object, command: Command) => {
        const session = open(command);
        const { answer, shown } = await find(session.api, await session.tenant(), named, id);
        session.show(answer, () => inWords(shown));
      }),
    { example: "approvals show INV-40001" },
  );

  addAnswer(approvals, open);
}

function addAnswer(approvals: Command, open: Opens): void {
  teach(
    approvals
      .command("answer")
      .description("answer it, once; the facts are read again first")
      .argument("<case>", "the case's id, or its business reference")
      .argument("[approval]", "its id; not needed when the case has only one that is open")
      .addOption(
        new Option("--decision <what>", "approve or refuse")
          .choices(["approve", "refuse"])
          .makeOptionMandatory(),
      )
      .addOption(reasonOption)
      .addOption(decisionIdOption)
      .addOption(dryRunOption)
      .addOption(yesOption)
      .action(
        async (named: string, id: string | undefined, options: AnswerOptions, command: Command) => {
          const session = open(command);
          const tenant = await session.tenant();
          const { shown } = await find(session.api, tenant, named, id);
          const { approval } = shown;
          const { decision, reason } = options;
          const answer = await send(session, options, {
            path: pathOf("cases", tenant, approval.caseId, "approvals", approval.id, "answer"),
            body: { answerId: decisionIdOf(options), decision, reason },
            consequence:
              decision === "approve"
                ? `${approval.action} is sent, with the payload that was frozen. ${approval.consequence}`
                : "Nothing of its plan is sent; the case is decided anew, and may ask again.",
            refusedBecause: whyNot(approval),
            isDangerous: true,
          });
          if (answer !== undefined)
            session.show(answer, () => "Answered; a turn goes on from here.");
        },
      ),
    {
      example: 'approvals answer INV-40001 --decision approve --reason "matches the order"',
      never:
        "approve what you asked for yourself, or what you have not read: the payload is frozen.",
    },
  );
}

const Open = z.looseObject({
  approvals: z.array(z.looseObject({ id: z.string(), answer: z.unknown().optional() })),
});

async function find(
  api: Api,
  tenant: string,
  named: string,
  id: string | undefined,
): Promise<{ answer: unknown; shown: Shown }> {
  const caseId = await caseIdOf(api, tenant, named);
  const approvalId = id ?? (await onlyApproval(api, { tenant, caseId, named }));
  const answer = await api.get(pathOf("approvals", tenant, caseId, approvalId));
  return { answer, shown: read(Shown, answer) };
}

async function onlyApproval(
  api: Api,
  of: { tenant: string; caseId: string; named: string },
): Promise<string> {
  const { approvals } = read(Open, await api.get(pathOf("cases", of.tenant, of.caseId)));
  const open = approvals.filter(({ answer }) => (answer ?? undefined) === undefined);
  const [first] = open;
  if (first !== undefined && open.length === 1) return first.id;
  const last = approvals.at(-1);
  if (first === undefined && last !== undefined) return last.id;
  const [code, what] =
    first === undefined
      ? [exitCodes.refused, `${of.named} asks nothing.`]
      : [
          exitCodes.usage,
          `${of.named} asks several things; name one: ${open.map((one) => one.id).join(", ")}.`,
        ];
  throw new Failure(code, what);
}

function mayInWords({ mayAnswer, stands }: z.output<typeof Approval>): string {
  if (!stands) return "void: the case has moved on";
  return mayAnswer ? "answer" : "not answer: you requested it";
}

function whyNot(approval: z.output<typeof Approval>): string | undefined {
  const { answer, mayAnswer, stands } = approval;
  if (answer !== undefined)
    return `it was answered: ${answer.decision}, by ${answer.by} at ${time(answer.atMs)}`;
  if (!stands) return "the case has moved on since it was asked";
  return mayAnswer ? undefined : "whoever requested it may not answer it";
}

function inWords({ approval, effect, facts: told }: Shown): string {
  const { answer } = approval;
  return facts([
    ["approval", `${approval.id} of case ${approval.caseId}`],
    ["case", approval.externalRef],
    ["action", approval.action],
    ["target", approval.target],
    ["done twice", approval.consequence],
    ["requested by", approval.requestedBy],
    ["asked", time(approval.askedAtMs)],
    ["expires", time(approval.expiresAtMs)],
    ["you may", answer === undefined ? mayInWords(approval) : undefined],
    ["answered", answer && `${answer.decision}, by ${answer.by} at ${time(answer.atMs)}`],
    ["payload, frozen", fields(effect.payload)],
    ["facts", fields(told)],
  ]);
}
