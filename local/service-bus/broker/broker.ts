// All entities over one store, one clock and one log; addresses are looked up here.

import { faultPlan, type FaultPlan } from "../control/fault-plan.ts";
import type { EntitySettings } from "../entities.ts";
import { openCatalog, type Catalog } from "./catalog.ts";
import { wallClock, type Clock } from "./clock.ts";
import { messageLog, type MessageLog } from "./message-log.ts";
import type { Queue } from "./queue.ts";
import { releaseSession } from "./sessions.ts";
import { openStore, type Store } from "./store/store.ts";

export type Broker = {
  clock: Clock;
  store: Store;
  log: MessageLog;
  faults: FaultPlan;
  catalog: Catalog;
  /** Queues and subscriptions, without their dead-letter queues. */
  queues(): Queue[];
  /** What can be sent to: a queue, or a topic's inbox. */
  findDestination(address: string): Queue | undefined;
  /** What can be received from: a queue, a subscription, or the dead-letter queue of either. */
  findSource(address: string): Queue | undefined;
  close(): void;
};

const DEAD_LETTERS = /\/\$deadletterqueue$/i;

export function openBroker(dataFolder: string, settings: EntitySettings): Broker {
  const clock = wallClock();
  const store = openStore(dataFolder);
  const log = messageLog(clock);
  const catalog = openCatalog(settings, { clock, store, log });
  const queues = (): Queue[] =>
    catalog.all().flatMap(({ kind, queue }) => (kind === "topic" ? [] : [queue]));

  return {
    clock,
    store,
    log,
    faults: faultPlan(),
    catalog,
    queues,
    findDestination(address) {
      const entity = catalog.find(address);
      return entity?.kind === "subscription" ? undefined : entity?.queue;
    },
    findSource(address) {
      const entity = catalog.find(address.replace(DEAD_LETTERS, ""));
      if (entity === undefined || entity.kind === "topic") return undefined;
      return DEAD_LETTERS.test(address) ? entity.queue.deadLetterQueue : entity.queue;
    },
    close() {
      for (const queue of queues()) {
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
