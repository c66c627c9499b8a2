// ops cases: find a case, read it, and read it in time.
import type { Command } from "commander";
import { z } from "zod";
import { pathOf } from "../api.ts";
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

export const Effect = z.looseObject({
  operationId: z.string(),
  action: z.string(),
  provider: z.string(),
  status: z.string(),
  reason: z.string().optional(),
  target: z.string().optional(),
  payload: z.record(z.string(), z.unknown()).optional(),
  isHidden: z.boolean().optional(),
  attempts: z.array(
    z.looseObject({
      n: z.int(),
      claimedAtMs: z.int(),
      end: z
        .looseObject({ kind: z.string(), atMs: z.int().optional(), reason: z.string().optional() })
        .optional(),
    }),
  ),
  receipt: z.looseObject({ stage: z.string(), providerId: z.string() }).optional(),
});
export type Effect = z.output<typeof Effect>;

const Row = z.looseObject({
  caseId: z.string(),
  externalRef: z.string(),
  workflow: z.looseObject({ type: z.string() }),
  status: z.string(),
  held: z.looseObject({ reason: z.string() }).optional(),
  openedAtMs: z.int(),
});

const TimeLine = z.looseObject({
  case: z.looseObject({
    caseId: z.string(),
    externalRef: z.string(),
    workflow: z.string().optional(),
    status: z.string(),
    version: z.int(),
    held: z.string().optional(),
    dueAtMs: z.int().optional(),
    facts: z.record(z.string(), z.unknown()).optional(),
  }),
  effects: z.array(Effect),
  entries: z.array(
    z.looseObject({
      lane: z.string(),
      atMs: z.int(),
      what: z.string(),
      by: z.string().optional(),
      outcome: z.string().optional(),
    }),
  ),
});

interface SearchOptions extends ListOptions {
  status?: string;
  workflow?: string;
  ref?: string;
  openedBefore?: string;
  openedAfter?: string;
  held?: boolean;
}

export function addCases(program: Command, open: Opens): void {
  const cases = program.command("cases").description("find cases and read them");
  addSearch(cases, open);
  addShow(cases, open);
}

function addSearch(cases: Command, open: Opens): void {
  const search = cases
    .command("search")
    .description("the cases of a tenant, newest first")
    .option("--ref <text>", "the business reference, or how it begins")
    .option("--status <name>", "in this status of their workflow")
    .option("--workflow <type>", "of this workflow")
    .option("--held", "only those that wait for a person")
    .option("--opened-before <iso>", "like 2026-11-29T00:00:00Z")
    .option("--opened-after <iso>", "that moment included")
    .action(async (options: SearchOptions, command: Command) => {
      const session = open(command);
      const tenant = await session.tenant();
      const { held, openedAfter, openedBefore, ref, status, workflow } = options;
      const { answer, next, rows } = await list(session.api, {
        path: pathOf("search", tenant, "cases"),
        query: { status, workflow, held, openedBefore, openedAfter, externalRef: ref },
        name: "cases",
        row: Row,
        ...options,
      });
      session.show(answer, () =>
        table(
          ["reference", "workflow", "status", "held", "opened", "case"],
          rows.map((row) => [
            row.externalRef,
            row.workflow.type,
            row.status,
            row.held?.reason ?? "",
            time(row.openedAtMs),
            row.caseId,
          ]),
          "No case is like that.",
        ),
      );
      moreHint(session, next);
    });
  for (const option of listOptions) search.addOption(option);
  teach(search, { example: "cases search --held --workflow invoice-exception" });
}

function addShow(cases: Command, open: Opens): void {
  teach(
    cases
      .command("show")
      .description("one case: where it stands, and each of its effects")
      .argument("<case>", "its id, or its business reference")
      .action(async (named: string, _options: object, command: Command) => {
        const session = open(command);
        const tenant = await session.tenant();
        const caseId = await caseIdOf(session.api, tenant, named);
        if (session.isJson) {
          session.show(await session.api.get(pathOf("cases", tenant, caseId)), () => "");
          return;
        }
        const answer = await session.api.get(pathOf("cases", tenant, caseId, "timeline"));
        session.show(answer, () => caseInWords(read(TimeLine, answer)));
      }),
    { example: "cases show INV-20931" },
  );

  teach(
    cases
      .command("timeline")
      .description("one case in time: events, effects, attempts, findings, reviews, operators")
      .argument("<case>", "its id, or its business reference")
      .action(async (named: string, _options: object, command: Command) => {
        const session = open(command);
        const tenant = await session.tenant();
        const caseId = await caseIdOf(session.api, tenant, named);
        const answer = await session.api.get(pathOf("cases", tenant, caseId, "timeline"));
        session.show(answer, () => timeLineInWords(read(TimeLine, answer)));
      }),
    { example: "cases timeline INV-20931" },
  );
}

function caseInWords({ case: record, effects }: z.output<typeof TimeLine>): string {
  return [
    facts([
      ["case", record.caseId],
      ["reference", record.externalRef],
      ["workflow", record.workflow],
      ["status", `${record.status}, version ${record.version}`],
      ["held", record.held],
      ["looked at next", time(record.dueAtMs)],
      ["facts", fields(record.facts)],
    ]),
    "",
    effectTable(effects),
  ].join("\n");
}

export function effectTable(effects: readonly Effect[]): string {
  return table(
    ["effect", "status", "why", "attempts", "receipt", "operation"],
    effects.map((effect) => [
      effect.action,
      effect.status,
      effect.reason ?? "",
      String(effect.attempts.length),
      effect.receipt === undefined ? "" : `${effect.receipt.stage} ${effect.receipt.providerId}`,
      effect.operationId,
    ]),
    "No effect is planned yet.",
  );
}

function timeLineInWords({ entries }: z.output<typeof TimeLine>): string {
  return table(
    ["time", "lane", "what", "outcome", "by"],
    entries.map(({ atMs, by, lane, outcome, what }) => [
      time(atMs),
      lane,
      what,
      outcome ?? "",
      by ?? "",
    ]),
  );
}
