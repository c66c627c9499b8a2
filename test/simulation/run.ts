// What the parts of one run share: its schedule, the world it runs in, and which faults wait for what is happening now.
import type { Fault } from "./faults.ts";
import type { Fleet } from "./fleet.ts";
import type { Operators } from "./operators.ts";
import type { Schedule } from "./schedule.ts";
import type { World } from "./world.ts";

/** Which of a schedule's faults wait for what is happening now. */
export type Struck = <Kind extends Fault["kind"]>(
  kind: Kind,
  isNow: (fault: Fault & { kind: Kind }) => boolean,
) => (Fault & { kind: Kind })[];

/** What has been counted so far: faults strike by number. */
export type Counts = Record<
  | "visit"
  | "write"
  | "call"
  | "delivery"
  | "lookup"
  | "hint"
  | "send"
  | "latency"
  | "checkpoint"
  | "ask",
  number
>;

export const nothingCounted: Counts = {
  visit: 0,
  write: 0,
  call: 0,
  delivery: 0,
  lookup: 0,
  hint: 0,
  send: 0,
  latency: 0,
  checkpoint: 0,
  ask: 0,
};

export interface Run {
  schedule: Schedule;
  struck: Struck;
  counts: Counts;
  latencyMs(): number;
  fleet(): Fleet;
  operators(): Operators;
  world(): World;
}
