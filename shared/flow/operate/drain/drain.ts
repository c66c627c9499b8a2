// A drain for a deploy: new decisions and new claims stop, calls that are on their way end and are recorded, intake goes on.
//
// It is one document that every worker reads again within two seconds, before each decision and each claim: no setting
// changes, so nothing restarts. What is still started is read from the ledger, not from the workers: a worker that has died
// counts as long as its call may be running.
import { z } from "zod";
import { deadlineMsOf } from "../../../domain/records/effect.ts";
import { Drain } from "../../../domain/records/drain.ts";
import { type OperatorStore, StartedEffect } from "../../../stores/operator-ports.ts";
import type { ControlRegister } from "../../../stores/ports.ts";
import type { Principal } from "../access/principal.ts";
import type { Reply } from "../serve.ts";

export interface DrainPorts {
  control: ControlRegister;
  operators: OperatorStore;
}

const InFlight = StartedEffect.extend({
  deadlineMs: z.int().describe("Then the call is over for certain, whatever its worker does."),
});

export const DrainState = z.object({
  draining: z.boolean(),
  drain: Drain.optional(),
  seenByAllMs: z.int().optional().describe("From then on no worker decides or claims."),
  inFlight: z.object({
    count: z.int(),
    isMore: z.boolean().describe("True: there are more than were counted."),
    oldest: InFlight.optional(),
    lastDeadlineMs: z.int().optional().describe("Then all these calls are over."),
  }),
  isQuiet: z.boolean().describe("True: every worker has seen the flag, and no call is under way."),
  says: z.string(),
});
export type DrainState = z.infer<typeof DrainState>;

/** A worker's flag is two seconds old at most; the rest is for a read that takes its time. */
const seenAfterMs = 5000;
const countMax = 1000;

export async function startDrain(
  ports: DrainPorts,
  request: { reason: string; principal: Principal },
): Promise<Reply<DrainState>> {
  const { id: by, name: byName } = request.principal;
  const started = await ports.control.startDrain({
    by,
    reason: request.reason,
    ...(byName === undefined ? {} : { byName }),
  });
  return { kind: "done", body: await drainState(ports), recorded: started };
}

export async function stopDrain(ports: DrainPorts): Promise<Reply<DrainState>> {
  const stopped = await ports.control.stopDrain();
  return { kind: "done", body: await drainState(ports), recorded: stopped };
}

export async function showDrain(ports: DrainPorts): Promise<Reply<DrainState>> {
  return { kind: "done", body: await drainState(ports) };
}

async function drainState({ control, operators }: DrainPorts): Promise<DrainState> {
  // The flag first: a call that was claimed before everybody saw it is in what is read next.
  const { drain, draining, storeMs } = await control.readDrain();
  const started = (await operators.startedEffects(countMax + 1)).map((effect) => ({
    ...effect,
    deadlineMs: deadlineMsOf(effect.startedAtMs, effect.callTimeoutMs),
  }));
  const [oldest] = started.toSorted((a, b) => a.startedAtMs - b.startedAtMs);
  const inFlight = {
    count: Math.min(started.length, countMax),
    isMore: started.length > countMax,
    ...(oldest === undefined ? {} : { oldest }),
    ...(oldest === undefined
      ? {}
      : { lastDeadlineMs: Math.max(...started.map(({ deadlineMs }) => deadlineMs)) }),
  };
  const seenByAllMs = (drain?.sinceMs ?? 0) + seenAfterMs;
  const isSeen = draining && storeMs !== undefined && storeMs >= seenByAllMs;
  const isQuiet = isSeen && started.length === 0;
  return {
    draining,
    inFlight,
    isQuiet,
    ...(drain === undefined ? {} : { drain }),
    ...(draining && drain !== undefined ? { seenByAllMs } : {}),
    says: saysOf({ draining, isSeen, calls: started.length }),
  };
}

function saysOf(state: { draining: boolean; isSeen: boolean; calls: number }): string {
  const { calls, draining, isSeen } = state;
  if (!draining) return "No drain is on: cases are worked on.";
  if (!isSeen) return "Workers are reading the flag; wait until `seenByAllMs`.";
  if (calls > 0) return "Nothing new is begun; the calls under way are ending.";
  return "Quiet: nothing is begun and no call is under way. Deploy, then stop the drain.";
}
