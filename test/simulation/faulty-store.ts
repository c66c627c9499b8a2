// A store that fails as the schedule says: writes are lost, land unanswered or late, checkpoints do not come back, and what is
// granted changes while a batch is on its way.
import { TransientFault } from "../../shared/domain/faults.ts";
import type { StoreCall, Twist } from "../memory/memory-cases.ts";
import type { Run } from "./run.ts";

/** Returns how to take the store down. */
export function faultyStore(run: Run): (untilMs: number) => void {
  const { counts, struck } = run;
  const world = run.world();
  let downUntilMs = 0;
  function before({ operation }: StoreCall): Twist | undefined {
    if (operation === "readCheckpoint" || operation === "createCheckpoint") {
      counts.checkpoint += 1;
      const [lost] = struck("checkpoint", ({ access }) => access === counts.checkpoint);
      if (lost !== undefined && operation === "readCheckpoint")
        throw new TransientFault("the checkpoint could not be read");
      return lost === undefined ? undefined : "lost";
    }
    if (operation !== "write" && operation !== "createFinding") return undefined;
    if (world.nowMs() < downUntilMs) return "lost";
    counts.write += 1;
    for (const { forMs } of struck("revokeAtWrite", ({ write }) => write === counts.write)) {
      for (const action of world.actions) void run.operators().revoke(action, forMs);
    }
    for (const { forMs, limit } of struck("limitAtWrite", ({ write }) => write === counts.write)) {
      run.operators().limitAll(limit, forMs);
    }
    const [twisted] = struck("write", ({ write }) => write === counts.write);
    if (twisted?.twist === "late") {
      world.clock.at(world.nowMs() + twisted.landAfterMs, () => world.landLate());
    }
    return twisted?.twist;
  }
  world.cases.hooks = { ...world.cases.hooks, before };
  return (untilMs) => void (downUntilMs = untilMs);
}
