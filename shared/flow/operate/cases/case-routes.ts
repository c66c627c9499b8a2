// The routes that do something to a case as a whole: have it looked at again, and erase it.
import { z } from "zod";
import { CaseId, DecisionId, postRoute, Tenant } from "../route.ts";
import type { Reply } from "../serve.ts";
import type { EraseResult } from "./erase-case.ts";
import type { InvestigateResult } from "./investigate-case.ts";
import { noSuchCase } from "./show-case.ts";

const Params = z.strictObject({ tenant: Tenant, case: CaseId });

export const investigateCaseRoute = postRoute({
  name: "investigate-case",
  path: "cases/{tenant}/{case}/investigate",
  summary: "Has a case decided anew on the same facts, where nothing is under way; twice is one.",
  role: "operator",
  params: Params,
  body: z.strictObject({ requestId: DecisionId.optional() }),
  answer: {
    status: 202,
    schema: z.object({ eventId: z.string(), duplicate: z.boolean() }),
    says: "The wish is durable, and a turn looks next.",
  },
  problems: [404],
  record: ({ body }) => ({ subject: "case", decisionId: body.requestId }),
});

export const eraseCaseRoute = postRoute({
  name: "erase-case",
  path: "cases/{tenant}/{case}/erase",
  summary: "Empties a closed case for good; ids, digests, statuses and times stay.",
  role: "admin",
  params: Params,
  body: z.strictObject({
    caseId: z.string().describe("The case id once more, by hand: a wrong link erases nothing."),
  }),
  answer: {
    status: 200,
    schema: z.object({ erasedDocuments: z.int() }),
    says: "It is erased.",
  },
  problems: [404, 409],
  record: () => ({ subject: "case" }),
});

export function investigateReply(
  result: InvestigateResult,
): Reply<{ eventId: string; duplicate: boolean }> {
  switch (result.kind) {
    case "recorded":
      return { kind: "done", body: { eventId: result.eventId, duplicate: result.duplicate } };
    case "missing":
      return noSuchCase;
    case "unavailable":
      return again("Send the same request again.", 5);
  }
}

export function eraseReply(result: EraseResult): Reply<{ erasedDocuments: number }> {
  switch (result.kind) {
    case "erased":
      return { kind: "done", body: { erasedDocuments: result.documents } };
    case "missing":
      return noSuchCase;
    case "refused": {
      const problem = { status: 409, slug: "not-erasable", detail: `${result.why}.` } as const;
      return { kind: "problem", problem };
    }
    case "again":
      return again("It is erased in part; send the same request again.", 2);
  }
}

function again(detail: string, retryAfterSeconds: number): Reply<never> {
  const problem = { status: 503, slug: "unavailable", detail, retryAfterSeconds } as const;
  return { kind: "problem", problem };
}
