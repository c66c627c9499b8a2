// Asks the app once whether it can start at all. A setting or a definition that it refuses is then told here, in its own words:
// without this every webhook would be turned away for ever, and the reason stand in a log only.
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { StopFault } from "../stop.ts";

const Ready = z.object({ checks: z.object({ settings: z.string() }) });
const Line = z.object({ message: z.literal("the app cannot start"), why: z.string() });
const logLagMs = 2000;

/** Why the app said that it cannot start; undefined: this line of its log says something else. */
export function whyCannotStart(line: string): string | undefined {
  if (!line.startsWith("{")) return undefined;
  try {
    return Line.safeParse(JSON.parse(line)).data?.why;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** `logged`: what the app's log has said of it by now; the line comes by another way than the answer. */
export async function assertAppStarts(
  hostUrl: string,
  logged: () => string | undefined,
): Promise<void> {
  const answer = await fetch(`${hostUrl}/api/health/ready`);
  const ready = Ready.safeParse(await answer.json()).data;
  if (ready?.checks.settings !== "failed") return;
  const endMs = performance.now() + logLagMs;
  while (logged() === undefined && performance.now() < endMs) await delay(20);
  throw new StopFault(`the app refuses to start: ${logged() ?? "its log says why"}`, 1);
}
