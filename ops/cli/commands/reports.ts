// ops reports: providers' own webhooks that name no effect that is known here; those that were given up wait for a person.
import type { Command } from "commander";
import { z } from "zod";
import { pathOf } from "../api.ts";
import { teach } from "../lesson.ts";
import { read, type Opens } from "../session.ts";
import { table, time } from "../show.ts";

const Report = z.looseObject({
  provider: z.string(),
  source: z.string(),
  eventId: z.string(),
  about: z.discriminatedUnion("kind", [
    z.looseObject({ kind: z.literal("operation"), caseKey: z.string(), operationId: z.string() }),
    z.looseObject({ kind: z.literal("providerKey"), providerKey: z.string() }),
  ]),
  providerId: z.string(),
  stage: z.string(),
  receivedAtMs: z.int(),
  looks: z.int(),
  retryAtMs: z.int().optional(),
  outcome: z.looseObject({ kind: z.string(), atMs: z.int(), found: z.int().default(0) }).optional(),
});
type Report = z.infer<typeof Report>;
const Listed = z.looseObject({ reports: z.array(Report), isMore: z.boolean() });

export function addReports(program: Command, open: Opens): void {
  const reports = program
    .command("reports")
    .description("what providers report of operations that are not known here");
  const listed = reports
    .command("list")
    .description("those given up, which wait for a person, and then those still looked for")
    .option("--given-up", "only those that are looked for no more")
    .action(async (options: { givenUp?: boolean }, command: Command) => {
      const session = open(command);
      const tenant = await session.tenant();
      const answer = read(Listed, await session.api.get(pathOf("reports", tenant)));
      const kept = answer.reports.filter(
        ({ outcome }) => options.givenUp !== true || outcome !== undefined,
      );
      session.show({ ...answer, reports: kept }, () =>
        table(
          ["received", "provider", "what", "about", "what became of it", "source", "delivery"],
          kept.map((report) => [
            time(report.receivedAtMs),
            report.provider,
            `${report.providerId}: ${report.stage}`,
            aboutInWords(report),
            outcomeInWords(report),
            report.source,
            report.eventId,
          ]),
          "Every report of a provider has found its effect.",
        ),
      );
      if (session.isJson) return;
      if (answer.isMore) session.terminal.err("There are others that are not listed.");
      if (kept.some(({ outcome }) => outcome !== undefined)) session.terminal.err(advice);
    });
  teach(listed, {
    example: "reports list --given-up",
    never: "Settle a review by a report that does not name its operation.",
  });
  listed.addHelpText("after", `\n${advice}`);
}

const advice = `Given up: something happened at the provider that the ledger does not know. Ask it by that id who ordered it, and for
which reference: ops/RUNBOOK.md, report-unmatched. Those still looked for may only be early.`;

function aboutInWords({ about }: Report): string {
  switch (about.kind) {
    case "operation":
      return `operation ${about.operationId} of ${about.caseKey}`;
    case "providerKey":
      return `key ${about.providerKey}`;
  }
}

function outcomeInWords({ looks, outcome, retryAtMs }: Report): string {
  if (outcome === undefined) return `looked for ${looks} times; next at ${time(retryAtMs)}`;
  const found = outcome.found === 0 ? "no effect bears it" : `${outcome.found} effects bear it`;
  return `given up at ${time(outcome.atMs)}: ${found}`;
}
