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

type Gate = { open: () => void; wait: (ms: number) => Promise<void> };

/** Whoever waits goes on when a worker has become ready, or when the time is over. */
function readinessGate(): Gate {
  const waiting = new Set<() => void>();
  return {
    open: () => {
      for (const wake of waiting) wake();
    },
    wait: async (ms) => {
      const ready = Promise.withResolvers<void>();
      waiting.add(ready.resolve);
      const timer = setTimeout(ready.resolve, ms);
      await ready.promise;
      clearTimeout(timer);
      waiting.delete(ready.resolve);
    },
  };
}

function leastBusy(instances: Instance[]): Life | undefined {
  return instances
    .flatMap((instance) => instance.life() ?? [])
    .toSorted((a, b) => a.process.inFlight() - b.process.inFlight())[0];
}

export async function startInstances(
  count: number,
  options: Omit<InstanceOptions, "worker" | "onReady">,
): Promise<Instances> {
  const gate = readinessGate();
  const starts = await Promise.allSettled(
    Array.from({ length: count }, (_, index) =>
      startInstance({ ...options, worker: index + 1, onReady: gate.open }),
    ),
  );
  const started = starts.flatMap((start) => (start.status === "fulfilled" ? [start.value] : []));
  const instances = started.map(({ instance }) => instance);
  const failed = starts.find((start) => start.status === "rejected");
  if (failed !== undefined) {
    await Promise.all(instances.map((instance) => instance.stop(0)));
    throw failed.reason;
  }

  async function pick(): Promise<Life | undefined> {
    const untilMs = performance.now() + PICK_WAIT_MS;
    for (;;) {
      const life = leastBusy(instances);
      const leftMs = untilMs - performance.now();
      if (life !== undefined || leftMs <= 0) return life;
      await gate.wait(leftMs);
    }
  }

  return {
    functions: started[0]?.functions ?? [],
    all: () =>
      instances.flatMap((instance) => {
        const pid = instance.pid();
        return pid === undefined ? [] : [{ worker: instance.worker, pid }];
      }),
    inFlight: () =>
      instances.reduce((sum, instance) => sum + (instance.life()?.process.inFlight() ?? 0), 0),
    pick,
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
