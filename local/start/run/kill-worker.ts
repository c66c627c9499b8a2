// Kills the worker in the middle of a call: SIGKILL, set off by the line in the provider's journal
// that says how far the call has come, never by time.
import { setTimeout as delay } from "node:timers/promises";
import { providersClient } from "../../providers/faults.ts";
import type { Entry } from "../../providers/faults.ts";
import type { LocalAzure } from "../azure/local-azure.ts";
import type { Sample } from "./samples.ts";

export interface Kill {
  pid: number;
  /** As the host saw it end; null: it is still there, or ended by itself. */
  signal: string | null;
}

const callWithinMs = 60_000;
const endWithinMs = 10_000;

/** `undefined`: the call never came, so nothing was killed. */
export async function killInMidCall(
  azure: LocalAzure,
  kill: NonNullable<Sample["kill"]>,
  journalAfter: number,
): Promise<Kill | undefined> {
  // The fault's own line comes after "received" and, for a call that hangs applied, before "applied".
  const event: Entry["event"] = kill.when === "applied" ? "applied" : "faultFired";
  const inMidCall = await providersClient(azure.providersUrl).find(
    (entry) =>
      entry.event === event &&
      entry.action === kill.action &&
      entry.target === kill.target &&
      entry.account === kill.account,
    { after: journalAfter, withinMs: callWithinMs },
  );
  const pid = azure.workerPid();
  if (inMidCall === undefined || pid === undefined) return undefined;
  process.kill(pid, "SIGKILL");
  const untilMs = performance.now() + endWithinMs;
  for (;;) {
    const exit = azure.workerExits().find((one) => one.pid === pid);
    if (exit !== undefined) return { pid, signal: exit.signal };
    if (performance.now() > untilMs) return { pid, signal: null };
    await delay(20);
  }
}
