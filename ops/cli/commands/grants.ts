// ops grants: who allowed a workflow what; allow it, and take it back.
import { InvalidArgumentError, type Command } from "commander";
import { randomUUID } from "node:crypto";
import { z } from "zod";
import { pathOf } from "../api.ts";
import { exitCodes, Failure } from "../exit-codes.ts";
import { teach } from "../lesson.ts";
import { read, type Opens } from "../session.ts";
import { table, time } from "../show.ts";
import { dryRunOption, reasonOption, send, yesOption, type WriteOptions } from "../write.ts";

const Grant = z.looseObject({
  id: z.string(),
  subject: z.string(),
  action: z.string(),
  target: z.string(),
  limits: z.record(z.string(), z.string()),
  grantedBy: z.string(),
  grantedAtMs: z.int(),
  expiresAtMs: z.int().optional(),
  revoked: z.looseObject({ by: z.string(), atMs: z.int(), reason: z.string() }).optional(),
});
type Grant = z.output<typeof Grant>;

const Grants = z.looseObject({ grants: z.array(Grant) });
const Given = z.looseObject({ id: z.string(), woken: z.int() });

interface GiveOptions extends Pick<WriteOptions, "dryRun" | "yes"> {
  id?: string;
  subject: string;
  action: string;
  target: string;
  limit: Record<string, string>;
  expires?: string;
}

function limitOf(text: string, before: Record<string, string>): Record<string, string> {
  const [, name, amount] = /^([^=]+)=(\d{1,15}(?:\.\d{1,6})?)$/.exec(text) ?? [];
  if (name === undefined || amount === undefined)
    throw new InvalidArgumentError("Give FIELD=AMOUNT, like amount=500.00.");
  return { ...before, [name]: amount };
}

export function addGrants(program: Command, open: Opens): void {
  const grants = program.command("grants").description("who allowed a workflow what");
  addList(grants, open);
  addGrant(grants, open);
  addRevoke(grants, open);
}

function addList(grants: Command, open: Opens): void {
  teach(
    grants
      .command("list")
      .description("all grants of a tenant, revoked ones with --all")
      .option("--all", "revoked and expired ones, too (--json has them always)")
      .action(async ({ all }: { all?: boolean }, command: Command) => {
        const session = open(command);
        const answer = await session.api.get(pathOf("grants", await session.tenant()));
        session.show(answer, () =>
          table(
            ["grant", "workflow", "action", "target", "limits", "by", "stands"],
            read(Grants, answer)
              .grants.filter((grant) => all === true || stands(grant) === "yes")
              .map((grant) => [
                grant.id,
                grant.subject,
                grant.action,
                grant.target,
                Object.entries(grant.limits)
                  .map(([name, amount]) => `${name} <= ${amount}`)
                  .join(", "),
                grant.grantedBy,
                stands(grant),
              ]),
            "Nothing is granted here: no effect of this tenant can be sent.",
          ),
        );
      }),
    { example: "grants list --all" },
  );
}

function stands({ expiresAtMs, revoked }: Grant): string {
  if (revoked !== undefined)
    return `revoked by ${revoked.by} at ${time(revoked.atMs)}: ${revoked.reason}`;
  if (expiresAtMs === undefined) return "yes";
  return expiresAtMs <= Date.now() ? `expired ${time(expiresAtMs)}` : "yes";
}

function addGrant(grants: Command, open: Opens): void {
  teach(
    grants
      .command("grant")
      .description("allow a workflow an action; cases that wait for it go on")
      .requiredOption("--subject <workflow>", "which workflow may do it")
      .requiredOption("--action <name>", "like email.send_notification.v1")
      .option("--target <target>", "only this one", "*")
      .option(
        "--limit <field=amount>",
        "the most of a payload's field; may be repeated",
        limitOf,
        {},
      )
      .option("--expires <iso>", "like 2026-12-31T00:00:00Z")
      .option("--id <id>", "its name; the same request twice is one grant")
      .addOption(dryRunOption)
      .addOption(yesOption)
      .action(async (options: GiveOptions, command: Command) => {
        const session = open(command);
        const { action, expires, id, limit, subject, target } = options;
        const on = target === "*" ? "on every target" : `on ${target}`;
        const answer = await send(session, options, {
          path: pathOf("grants", await session.tenant()),
          body: {
            id: id ?? `cli-${randomUUID()}`,
            subject,
            action,
            target,
            limits: limit,
            ...(expires === undefined ? {} : { expiresAt: expires }),
          },
          consequence: `${subject} may do ${action} ${on} by itself; cases that wait for it are woken and go on at once.`,
          isDangerous: true,
        });
        if (answer === undefined) return;
        session.show(answer, () => {
          const given = read(Given, answer);
          return `Granted as ${given.id}; ${given.woken} waiting cases go on.`;
        });
      }),
    {
      example:
        "grants grant --subject invoice-exception --action portal.request_credit_note.v1 --limit amount=500.00",
      never: "grant more than somebody has asked for in writing, to make a review go away.",
    },
  );
}

function addRevoke(grants: Command, open: Opens): void {
  teach(
    grants
      .command("revoke")
      .description("take a grant back: nothing more is sent under it")
      .argument("<grant>", "its id")
      .addOption(reasonOption)
      .addOption(dryRunOption)
      .addOption(yesOption)
      .action(async (id: string, options: WriteOptions, command: Command) => {
        const session = open(command);
        const tenant = await session.tenant();
        const { grants: all } = read(Grants, await session.api.get(pathOf("grants", tenant)));
        const grant = all.find((one) => one.id === id);
        if (grant === undefined) throw new Failure(exitCodes.refused, `there is no grant ${id}.`);
        const { revoked } = grant;
        const answer = await send(session, options, {
          path: pathOf("grants", tenant, id, "revoke"),
          body: { reason: options.reason },
          consequence: `${grant.subject} may no longer do ${grant.action}: its cases are held where they need it. What is done stays done, and a call that is on its way ends.`,
          refusedBecause: revoked && `it was revoked by ${revoked.by} at ${time(revoked.atMs)}`,
          isDangerous: true,
        });
        if (answer !== undefined) session.show(answer, () => "Revoked.");
      }),
    {
      example: 'grants revoke g-42 --reason "supplier changed its account"',
      never: "expect it to take back what was sent: a grant is read before each send, not after.",
    },
  );
}
