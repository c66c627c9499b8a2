// What the demo leaves for operators, once the samples are through: open reviews (the samples' own), two approvals, dead letters;
// and how much of each waits now.
import { z } from "zod";
import type { LocalAzure } from "../azure/local-azure.ts";
import { tenantIds } from "../azure/sources.ts";
import { askApprovals, openApprovals } from "./ask-approvals.ts";
import { countDeadLetters, leaveDeadLetters } from "./leave-dead-letters.ts";

export interface WaitingWork {
  tenants: { tenantId: string; reviews: number; approvals: number }[];
  /** By queue. */
  deadLetters: Record<string, number>;
  consoleUrl?: string;
}

const Reviews = z.object({ reviews: z.array(z.unknown()) });

export async function leaveWork(
  azure: LocalAzure,
  run: number,
  signal: AbortSignal,
): Promise<WaitingWork> {
  await askApprovals(azure, run, signal);
  await leaveDeadLetters(azure, signal);
  return waitingWork(azure);
}

async function waitingWork(azure: LocalAzure): Promise<WaitingWork> {
  const tenants: WaitingWork["tenants"] = [];
  for (const tenantId of tenantIds) {
    const response = await fetch(`${azure.hostUrl}/api/reviews/${tenantId}?max=100`);
    const { reviews } = Reviews.parse(await response.json());
    const approvals = await openApprovals(azure, tenantId);
    tenants.push({ tenantId, reviews: reviews.length, approvals: approvals.length });
  }
  const consoleUrl = `${azure.hostUrl}/api/console`;
  const { ok: isServed } = await fetch(consoleUrl);
  return {
    tenants,
    deadLetters: await countDeadLetters(azure),
    ...(isServed ? { consoleUrl } : {}),
  };
}
