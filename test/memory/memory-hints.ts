// Hints in memory, as Service Bus keeps them: sessions, schedules on the virtual clock, duplicates dropped.
//
// One message of a session at a time, oldest first; the session is locked while its message is out. A message that
// was given back ten times is a dead letter. A duplicate within ten minutes vanishes, scheduled ones too.
import { caseKeyText } from "../../shared/domain/identity.ts";
import type { Hint, HintQueue } from "../../shared/stores/ports.ts";

export type QueueName = Parameters<HintQueue["send"]>[0];

/** One message that a worker holds. */
export interface Delivery {
  hint: Hint;
  /** 1 for the first. */
  deliveryCount: number;
  complete(): void;
  /** Gives it back: a throw, or a lost lock. */
  abandon(): void;
}

export interface MemoryHints extends HintQueue {
  /** May throw: then nothing was sent. */
  beforeSend: ((queue: QueueName, hint: Hint) => void | Promise<void>) | undefined;
  /** The oldest active message of a session that nobody holds. */
  receive(queue: QueueName): Delivery | undefined;
  /** When the next message becomes active, or became so; undefined when there is none. */
  nextActiveAtMs(queue: QueueName): number | undefined;
  waiting(queue: QueueName): { hint: Hint; activeAtMs: number }[];
  deadLetters(queue: QueueName): Hint[];
}

const duplicateWindowMs = 10 * 60_000;
const deliveryCountMax = 10;

interface Message {
  hint: Hint;
  session: string;
  activeAtMs: number;
  deliveryCount: number;
}

interface Queue {
  messages: Message[];
  held: Set<string>;
  seenAtMs: Map<string, number>;
  dead: Hint[];
}

export function memoryHints(options: { nowMs: () => number }): MemoryHints {
  const { nowMs } = options;
  const newQueue = (): Queue => ({ messages: [], held: new Set(), seenAtMs: new Map(), dead: [] });
  const queues: Record<QueueName, Queue> = { cases: newQueue(), reviews: newQueue() };

  async function enqueue(name: QueueName, hint: Hint, activeAtMs: number): Promise<void> {
    await hints.beforeSend?.(name, hint);
    const { messages, seenAtMs } = queues[name];
    const seen = seenAtMs.get(hint.hintId);
    if (seen !== undefined && nowMs() - seen < duplicateWindowMs) return;
    seenAtMs.set(hint.hintId, nowMs());
    messages.push({ hint: { ...hint }, session: caseKeyText(hint), activeAtMs, deliveryCount: 0 });
    // Stable: of two that become active together, the one that was sent first.
    messages.sort((a, b) => a.activeAtMs - b.activeAtMs);
  }

  const hints: MemoryHints = {
    beforeSend: undefined,
    send: (name, hint) => enqueue(name, hint, nowMs()),
    async schedule(name, hint, atMs) {
      await enqueue(name, hint, Math.max(atMs, nowMs()));
      return { cancel: () => Promise.resolve(takeBack(queues[name], hint, nowMs())) };
    },
    receive(name) {
      const queue = queues[name];
      const message = queue.messages.find(
        ({ activeAtMs, session }) => activeAtMs <= nowMs() && !queue.held.has(session),
      );
      return message === undefined ? undefined : deliver(queue, message);
    },
    nextActiveAtMs: (name) => queues[name].messages[0]?.activeAtMs,
    waiting: (name) =>
      queues[name].messages.map(({ hint, activeAtMs }) => ({ hint: { ...hint }, activeAtMs })),
    deadLetters: (name) => [...queues[name].dead],
  };
  return hints;
}

/** Only what is not active yet, as Service Bus has it; its id stays known. */
function takeBack(queue: Queue, { hintId }: Hint, nowMs: number): void {
  queue.messages = queue.messages.filter(
    ({ activeAtMs, hint }) => hint.hintId !== hintId || activeAtMs <= nowMs,
  );
}

function deliver(queue: Queue, message: Message): Delivery {
  message.deliveryCount += 1;
  queue.held.add(message.session);
  let isOut = true;
  const settle = (remove: boolean) => {
    if (!isOut) return;
    isOut = false;
    queue.held.delete(message.session);
    if (remove) queue.messages.splice(queue.messages.indexOf(message), 1);
  };
  return {
    hint: { ...message.hint },
    deliveryCount: message.deliveryCount,
    complete: () => settle(true),
    abandon() {
      const isDead = isOut && message.deliveryCount >= deliveryCountMax;
      if (isDead) queue.dead.push(message.hint);
      settle(isDead);
    },
  };
}
