// One case as JSON: the record, its effects, its reviews and its history, for a person or a script.
import { z } from "zod";
import { caseIdOf, externalRefLengthMax, type CaseKey } from "../../../domain/identity.ts";
import type { CaseStore } from "../../../stores/ports.ts";
import { CaseId, getRoute, Tenant } from "../route.ts";
import type { Reply } from "../serve.ts";
import { redacted } from "../shown.ts";

const Documents = z.array(z.record(z.string(), z.unknown()));

const CaseView = z.object({
  case: z.record(z.string(), z.unknown()),
  effects: Documents,
  events: Documents,
  findings: Documents,
  approvals: Documents,
  reviews: Documents,
  log: Documents,
  incomplete: z
    .literal(true)
    .optional()
    .describe("Newer code wrote some of its documents: they are not shown here."),
});
export type CaseView = z.infer<typeof CaseView>;

export const showCaseRoute = getRoute({
  name: "show-case",
  path: "cases/{tenant}/{case?}",
  summary: "One case with all its documents, by its id or by its business reference.",
  role: "reader",
  params: z.strictObject({ tenant: Tenant, case: CaseId.optional() }),
  query: z.strictObject({
    externalRef: z
      .string()
      .min(1)
      .max(externalRefLengthMax)
      .optional()
      .describe("Instead of the case id."),
  }),
  answer: { schema: CaseView, says: "The case; what the caller's role does not show is empty." },
  problems: [404],
});

export const noSuchCase = {
  kind: "problem",
  problem: {
    status: 404,
    slug: "no-such-case",
    detail: "No case is recorded under this id.",
  },
} as const satisfies Reply<never>;

export async function showCase(
  ports: { cases: CaseStore; caseIdKey: Uint8Array },
  wanted: {
    tenantId: string;
    caseId: string | undefined;
    externalRef: string | undefined;
    mayReadContent: boolean;
  },
): Promise<Reply<CaseView>> {
  const { externalRef, tenantId, mayReadContent } = wanted;
  if (wanted.caseId === undefined && externalRef === undefined) {
    const detail = "give the business reference, like ?externalRef=INV-20931";
    const errors = [{ field: "externalRef", detail }];
    const what = "Name the case by its id or by its reference.";
    return { kind: "problem", problem: { status: 400, slug: "bad-request", detail: what, errors } };
  }
  const caseId = wanted.caseId ?? caseIdOf(ports.caseIdKey, tenantId, externalRef ?? "");
  const view = await viewOf(ports, { tenantId, caseId }, mayReadContent);
  return view === undefined ? noSuchCase : { kind: "done", body: view };
}

async function viewOf(
  ports: { cases: CaseStore },
  key: CaseKey,
  mayReadContent: boolean,
): Promise<CaseView | undefined> {
  const history = await ports.cases.history(key);
  if (history === undefined) return undefined;
  const { snapshot, log } = history;
  const externalRef = snapshot.events[0]?.externalRef ?? "";
  const shown = (documents: readonly Parameters<typeof redacted>[0][]) =>
    documents.map((document) => ({ ...redacted(document, mayReadContent) }));
  return {
    // An event may be recorded before any turn has made the case document.
    case:
      snapshot.case === undefined
        ? { ...key, externalRef, status: "recorded", version: 0 }
        : { ...redacted(snapshot.case, mayReadContent) },
    effects: shown(snapshot.effects),
    events: shown(snapshot.events),
    findings: shown(snapshot.findings),
    approvals: shown(snapshot.approvals),
    reviews: shown(snapshot.reviews),
    log: log.map((entry) => ({ ...entry })),
    ...(snapshot.newerSchema ? { incomplete: true } : {}),
  };
}
