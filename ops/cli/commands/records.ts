// ops records: what people did, or tried to do, and what came of it.
import type { Command } from "commander";
import { z } from "zod";
import { pathOf } from "../api.ts";
import { teach } from "../lesson.ts";
import { list, listOptions, moreHint, type ListOptions, type Opens } from "../session.ts";
import { table, time } from "../show.ts";

const Row = z.looseObject({
  caseId: z.string(),
  action: z.string(),
  subject: z.string(),
  by: z.string(),
  byName: z.string().optional(),
  reason: z.string().optional(),
  atMs: z.int(),
  outcome: z.looseObject({ kind: z.string(), detail: z.string().optional() }),
});

export function addRecords(program: Command, open: Opens): void {
  const records = program.command("records").description("what operators did, and why");
  const listed = records
    .command("list")
    .description("newest first: who, what, why, when, and what came of it")
    .option("--deployment", "of the deployment (drains, dead letters) instead of a tenant")
    .action(async (options: ListOptions & { deployment?: boolean }, command: Command) => {
      const session = open(command);
      const tenant = options.deployment === true ? "_" : await session.tenant();
      const { answer, next, rows } = await list(session.api, {
        path: pathOf("operator-records", tenant),
        name: "records",
        row: Row,
        ...options,
      });
      session.show(answer, () =>
        table(
          ["time", "who", "what", "about", "why", "outcome", "case"],
          rows.map((row) => [
            time(row.atMs),
            row.byName ?? row.by,
            row.action,
            row.subject,
            row.reason ?? "",
            [row.outcome.kind, row.outcome.detail].filter(Boolean).join(": "),
            row.caseId,
          ]),
          "Nobody has done anything here yet.",
        ),
      );
      moreHint(session, next);
    });
  for (const option of listOptions) listed.addOption(option);
  teach(listed, { example: "records list --max 50" });
}
