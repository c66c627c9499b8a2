// All entities over one store, one clock and one log; addresses are looked up here.
// Addresses compare without regard to case, as Azure's do.

import { faultPlan, type FaultPlan } from "../control/fault-plan.ts";
import type { EntitySettings } from "../entities.ts";
import { wallClock, type Clock } from "./clock.ts";
import { messageLog, type MessageLog } from "./message-log.ts";
import { openQueue, type Queue } from "./queue.ts";
import { releaseSession } from "./sessions.ts";
import { openStore, type Store } from "./store.ts";

export type Broker = {
  clock: Clock;
  store: Store;
  log: MessageLog;
  faults: FaultPlan;
  /** Queues, without their dead-letter queues. */
  queues: Queue[];
  /** The queue a receiver or a management link names, dead-letter queues included. */
  findQueue(address: string): Queue | undefined;
  close(): void;
};

export function openBroker(dataFolder: string, settings: EntitySettings): Broker {
  const clock = wallClock();
  const store = openStore(dataFolder);
  const log = messageLog(clock);
  const queues = settings.queues.map((queue) => openQueue(queue, { clock, store, log }));
  const byAddress = new Map<string, Queue>();
  for (const queue of queues) {
    byAddress.set(queue.name.toLowerCase(), queue);
    if (queue.deadLetterQueue !== undefined) {
      byAddress.set(queue.deadLetterQueue.name.toLowerCase(), queue.deadLetterQueue);
    }
  }

  return {
    clock,
    store,
    log,
    faults: faultPlan(),
    queues,
    findQueue: (address) => byAddress.get(address.replace(/^\//, "").toLowerCase()),
    close() {
      for (const queue of queues) {
        queue.waiters.clear();
        for (const { hold } of queue.sessions.values()) {
          if (hold !== undefined) releaseSession(queue, hold);
        }
      }
      clock.stop();
      store.close();
    },
  };
}
