// How a tenant stands now, in a few counts: what a page samples to draw its plots. Nothing here is kept, and nothing is of other
// tenants.
import { z } from "zod";
import type { OperatorStore } from "../../../stores/operator-ports.ts";
import { getRoute, Tenant } from "../route.ts";
import type { Reply } from "../serve.ts";

const Shown = z.object({
  atMs: z.int().describe("By the worker's clock, as all ages here."),
  sinceMs: z
    .int()
    .describe("`effects` and `confirmedAfterRetry` are of what was written from then on."),
  openReviews: z.int(),
  heldCases: z.int(),
  openApprovals: z.int(),
  unknown: z
    .object({ count: z.int(), oldestSinceMs: z.int().optional() })
    .describe(
      "Effects of which nobody knows whether they happened; those given up are not counted.",
    ),
  effects: z.record(z.string(), z.int()).describe("By status."),
  confirmedAfterRetry: z
    .int()
    .describe(
      "Confirmed effects that had more than one attempt; some of these may never have left.",
    ),
  workDue: z
    .int()
    .describe("Records that are due and not done; what the broker holds is told by /queues."),
});
type Shown = z.infer<typeof Shown>;

export const showOverviewRoute = getRoute({
  name: "show-overview",
  path: "overview/{tenant}",
  summary: "How a tenant stands now: open reviews, unknown effects, outcomes, work that is due.",
  role: "reader",
  params: z.strictObject({ tenant: Tenant }),
  answer: { schema: Shown, says: "Counts of this moment." },
  problems: [],
});

const windowMs = 24 * 60 * 60_000;

export async function showOverview(
  ports: { operators: OperatorStore; nowMs(): number },
  tenantId: string,
): Promise<Reply<Shown>> {
  const nowMs = ports.nowMs();
  const sinceMs = nowMs - windowMs;
  const counted = await ports.operators.overview({ tenantId, nowMs, sinceMs });
  return { kind: "done", body: { atMs: nowMs, sinceMs, ...counted } };
}
