// All instances of the app on this machine: started together, the least busy one takes the next HTTP call or timer,
// drained and stopped together.
import type { FunctionMetadata } from "./protocol.ts";
import type { Instance, InstanceOptions, Life } from "./instance.ts";
import { startInstance } from "./instance.ts";

export type Instances = {
  functions: FunctionMetadata[];
  all(): { worker: number; pid: number }[];
  inFlight(): number;
  /** A life that can take a call; waits a while when every worker is just starting. */
  pick(): Promise<Life | undefined>;
  startListeners(): void;
  drainListeners(): Promise<void>;
  stop(graceMs: number): Promise<void>;
};

const PICK_WAIT_MS = 10_000;

export async function startInstances(
  count: number,
  options: Omit<InstanceOptions, "worker" | "onReady">,
): Promise<Instances> {
  const waiting = new Set<() => void>();
  const onReady = () => {
    for (const wake of waiting) wake();
    waiting.clear();
  };
  const starts = await Promise.allSettled(
    Array.from({ length: count }, (_, index) =>
      startInstance({ ...options, worker: index + 1, onReady }),
    ),
  );
  const started = starts.flatMap((start) => (start.status === "fulfilled" ? [start.value] : []));
  const instances: Instance[] = started.map(({ instance }) => instance);
  const failed = starts.find((start) => start.status === "rejected");
  if (failed !== undefined) {
    await Promise.all(instances.map((instance) => instance.stop(0)));
    throw failed.reason;
  }

  function leastBusy(): Life | undefined {
    return instances
      .flatMap((instance) => instance.life() ?? [])
      .toSorted((a, b) => a.process.inFlight() - b.process.inFlight())[0];
  }

  async function readySoon(waitMs: number): Promise<void> {
    const ready = Promise.withResolvers<void>();
    waiting.add(ready.resolve);
    const timer = setTimeout(ready.resolve, waitMs);
    await ready.promise;
    clearTimeout(timer);
    waiting.delete(ready.resolve);
  }

  return {
    functions: started[0]?.functions ?? [],
    all: () =>
      instances.flatMap(({ worker, pid }) => {
        const current = pid();
        return current === undefined ? [] : [{ worker, pid: current }];
      }),
    inFlight: () =>
      instances.reduce((sum, instance) => sum + (instance.life()?.process.inFlight() ?? 0), 0),
    pick: async () => {
      const untilMs = performance.now() + PICK_WAIT_MS;
      for (;;) {
        const life = leastBusy();
        const leftMs = untilMs - performance.now();
        if (life !== undefined || leftMs <= 0) return life;
        await readySoon(leftMs);
      }
    },
    startListeners: () => {
      for (const instance of instances) instance.startListeners();
    },
    drainListeners: async () => {
      await Promise.all(instances.map((instance) => instance.drainListeners()));
    },
    stop: async (graceMs) => {
      await Promise.all(instances.map((instance) => instance.stop(graceMs)));
    },
  };
}
