// One visit of one boundary by one worker: held, killed before or after, or let through.
//
// A worker that is dead never comes back from here: like a process under SIGKILL it runs no `catch` and no `finally`.
import type { Run } from "./run.ts";
import type { Visit } from "./world.ts";

export async function visited<Result>(
  run: Run,
  { boundary, worker }: Visit,
  act: () => Promise<Result>,
): Promise<Result> {
  if (worker.dead) return never();
  const { counts, latencyMs, struck } = run;
  const { clock, heldWrite, notes, nowMs } = run.world();
  counts.visit += 1;
  const mine = counts.visit;
  await clock.sleep(latencyMs());
  if (boundary === "write") await clock.sleep(heldWrite.takeMs(nowMs()));
  if (await strikes("before", mine)) return never();
  const result = await act();
  await clock.sleep(latencyMs());
  if (await strikes("after", mine)) return never();
  return result;

  async function strikes(when: "before" | "after", n: number): Promise<boolean> {
    if (worker.dead) return true;
    const isAtSocket = boundary === "send" && when === "before";
    const stallsMs = struck("stall", (fault) => fault.visit === n && fault.when === when).map(
      ({ ms }) => ms,
    );
    if (isAtSocket) {
      counts.send += 1;
      stallsMs.push(
        ...struck("freezeAtSend", ({ send }) => send === counts.send).map(({ ms }) => ms),
      );
    }
    // What strikes at once lasts as long as the longest of it: no freeze is longer than the contracts' margins allow for.
    const ms = Math.max(0, ...stallsMs);
    if (ms > 0) {
      run.fleet().freeze(worker, ms);
      const fromMs = nowMs();
      await clock.sleep(ms);
      if (isAtSocket) notes.freezes.push({ worker: worker.id, fromMs, toMs: nowMs() });
    }
    if (struck("kill", (fault) => fault.visit === n && fault.when === when).length > 0)
      run.fleet().kill(worker);
    const limits = when === "after" ? struck("killThenLimit", ({ visit }) => visit === n) : [];
    for (const { forMs, limit } of limits) {
      run.fleet().kill(worker);
      run.operators().limitAll(limit, forMs);
    }
    return worker.dead;
  }
}

function never(): Promise<never> {
  return new Promise(() => {});
}
