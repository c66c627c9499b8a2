// All entities over one store, one clock and one log; addresses are looked up here.
// Addresses compare without regard to case, as Azure's do.

import { faultPlan, type FaultPlan } from "../control/fault-plan.ts";
import type { EntitySettings } from "../entities.ts";
import { wallClock, type Clock } from "./clock.ts";
import { messageLog, type MessageLog } from "./message-log.ts";
import { openQueue, type Queue } from "./queue.ts";
import { releaseSession } from "./sessions.ts";
import { openStore, type Store } from "./store/store.ts";
import { openTopic } from "./topics/topic.ts";

export type Broker = {
  clock: Clock;
  store: Store;
  log: MessageLog;
  faults: FaultPlan;
  /** Queues and subscriptions, without their dead-letter queues. */
  queues: Queue[];
  /** What can be sent to: a queue, or a topic's inbox. */
  findDestination(address: string): Queue | undefined;
  /** What can be received from: a queue, a subscription, or the dead-letter queue of either. */
  findSource(address: string): Queue | undefined;
  close(): void;
};

export function openBroker(dataFolder: string, settings: EntitySettings): Broker {
  const clock = wallClock();
  const store = openStore(dataFolder);
  const log = messageLog(clock);
  const surroundings = { clock, store, log };
  const plain = settings.queues.map((queue) => openQueue(queue, surroundings));
  const topics = settings.topics.map((topic) => openTopic(topic, surroundings));
  const subscriptions = topics.flatMap((topic) => topic.subscriptions.map(({ queue }) => queue));
  const queues = [...plain, ...subscriptions];
  const destinations = byAddress([...plain, ...topics.map(({ inbox }) => inbox)]);
  const sources = byAddress(queues.flatMap((queue) => [queue, queue.deadLetterQueue ?? queue]));

  return {
    clock,
    store,
    log,
    faults: faultPlan(),
    queues,
    findDestination: (address) => destinations.get(normal(address)),
    findSource: (address) => sources.get(normal(address)),
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

function byAddress(queues: Queue[]): Map<string, Queue> {
  return new Map(queues.map((queue) => [normal(queue.name), queue]));
}

function normal(address: string): string {
  return address.replace(/^\//, "").toLowerCase();
}
