// Providers' own webhooks of one tenant that named no effect: those still looked for, and those given up.
import { z } from "zod";
import { Report } from "../../../domain/records/report.ts";
import type { ReportStore } from "../../../stores/ports.ts";
import { getRoute, Tenant } from "../route.ts";
import type { Reply } from "../serve.ts";

const listMax = 500;
const Listed = z.object({
  reports: z.array(Report),
  isMore: z.boolean().describe("There are others that are not listed."),
});

export const listReportsRoute = getRoute({
  name: "list-reports",
  path: "reports/{tenant}",
  summary: "Providers' own webhooks that name no effect that is known here.",
  role: "reader",
  params: z.strictObject({ tenant: Tenant }),
  answer: {
    schema: Listed,
    says: "Those given up, which wait for a person, and then those still looked for; each oldest first.",
  },
  problems: [],
});

/** Whom a report is for, and what it echoed, is for those who act on it. */
export async function listReports(
  ports: { reports: ReportStore },
  tenantId: string,
  mayReadContent: boolean,
): Promise<Reply<z.infer<typeof Listed>>> {
  const listed = await ports.reports.list({ tenantId, max: listMax + 1 });
  const isGivenUp = ({ outcome }: Report) => outcome !== undefined;
  const ordered = [...listed.filter(isGivenUp), ...listed.filter((one) => !isGivenUp(one))];
  const reports = ordered.slice(0, listMax).map((report) => {
    const { echoed: _echoed, target: _target, ...shown } = report;
    return mayReadContent ? report : shown;
  });
  return { kind: "done", body: { reports, isMore: listed.length > listMax } };
}
