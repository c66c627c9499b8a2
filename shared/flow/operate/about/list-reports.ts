// Providers' own webhooks of one tenant that named no effect: those still looked for, and those given up.
import { z } from "zod";
import { Report } from "../../../domain/records/report.ts";
import type { ReportStore } from "../../../stores/ports.ts";
import { getRoute, Tenant } from "../route.ts";
import type { Reply } from "../serve.ts";

const Listed = z.object({ reports: z.array(Report) });

export const listReportsRoute = getRoute({
  name: "list-reports",
  path: "reports/{tenant}",
  summary: "Providers' own webhooks that name no effect that is known here.",
  role: "reader",
  params: z.strictObject({ tenant: Tenant }),
  answer: { schema: Listed, says: "Those still looked for, and those given up." },
  problems: [],
});

/** Whom a report is for, and what it echoed, is for those who act on it. */
export async function listReports(
  ports: { reports: ReportStore },
  tenantId: string,
  mayReadContent: boolean,
): Promise<Reply<z.infer<typeof Listed>>> {
  const reports = (await ports.reports.list(tenantId)).map((report) => {
    const { echoed: _echoed, target: _target, ...shown } = report;
    return mayReadContent ? report : shown;
  });
  return { kind: "done", body: { reports } };
}
