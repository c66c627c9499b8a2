// The workers of a world: slots that take messages, die, freeze, lose their locks and come back as somebody new.
import type { Delivery, QueueName } from "../memory/memory-hints.ts";
import { deliver, type WorkerState, type World } from "./world.ts";

/** How long a frozen worker keeps its session: nobody renews the lock for it. */
const lockMs = 60_000;
const restartMs = 2000;

interface Slot {
  n: number;
  worker: WorkerState;
  ports: ReturnType<World["portsOf"]>;
  delivery: Delivery | undefined;
  /** Counts deliveries, so that an old turn's end does not free a new one. */
  turn: number;
}

interface Message {
  queue: QueueName;
  delivery: Delivery;
}

function nextMessage(world: World): Message | undefined {
  for (const queue of ["cases", "reviews"] as const) {
    const delivery = world.broker.receive(queue);
    if (delivery !== undefined) return { queue, delivery };
  }
  return undefined;
}

function giveBack(world: World, delivery: Delivery | undefined): void {
  if (delivery === undefined) return;
  delivery.abandon();
  world.notes.redeliveries.push(delivery.hint.hintId);
}

export interface Fleet {
  /** Gives every free slot a message, if there is one. */
  pump(): void;
  kill(worker: WorkerState): void;
  /** Told before a worker is held for so long. */
  freeze(worker: WorkerState, ms: number): void;
  deploy(revision: number, slots: "some" | "all"): void;
  /** No worker takes anything until then. */
  stopUntil(atMs: number): void;
  isIdle(): boolean;
}

export function fleetOf(
  world: World,
  options: { slots: number; lagOf(turn: number): number },
): Fleet {
  const { clock } = world;
  let made = 0;
  let turns = 0;
  let stoppedUntilMs = 0;
  const hire = (n: number, revision: number): Slot => {
    made += 1;
    const worker: WorkerState = { id: `w${made}`, dead: false, revision, lagVersions: 0 };
    return { n, worker, ports: world.portsOf(worker), delivery: undefined, turn: 0 };
  };
  const slots = Array.from({ length: options.slots }, (_, n) => hire(n, 1));
  const slotOf = (worker: WorkerState) => slots.find((slot) => slot.worker === worker);

  function pump(): void {
    if (clock.nowMs() < stoppedUntilMs) return;
    for (const slot of slots) {
      if (slot.delivery !== undefined || slot.worker.dead) continue;
      const message = nextMessage(world);
      if (message === undefined) return;
      take(slot, message);
    }
  }

  function take(slot: Slot, message: Message): void {
    turns += 1;
    slot.turn = turns;
    slot.delivery = message.delivery;
    slot.worker.lagVersions = options.lagOf(turns);
    void runTurn(slot, message, turns);
  }

  async function runTurn(slot: Slot, message: Message, turn: number): Promise<void> {
    await deliver(world, slot.ports, message);
    if (slot.turn !== turn) return;
    slot.delivery = undefined;
    clock.at(clock.nowMs(), pump);
  }

  function replace(slot: Slot): void {
    slots[slot.n] = hire(slot.n, slot.worker.revision);
    pump();
  }

  return {
    pump,
    kill(worker) {
      const slot = slotOf(worker);
      if (worker.dead || slot === undefined) return;
      worker.dead = true;
      world.notes.lostWorkers.add(worker.id);
      // The broker sees the socket close, or waits for the lock.
      const { delivery } = slot;
      clock.at(clock.nowMs() + (slot.turn % 2 === 0 ? 5 : lockMs), () => {
        giveBack(world, delivery);
        pump();
      });
      clock.at(clock.nowMs() + restartMs, () => replace(slot));
    },
    freeze(worker, ms) {
      const delivery = slotOf(worker)?.delivery;
      if (ms < lockMs || delivery === undefined) return;
      clock.at(clock.nowMs() + lockMs, () => {
        giveBack(world, delivery);
        pump();
      });
    },
    deploy(revision, which) {
      for (const slot of slots) {
        if (which === "some" && slot.n % 2 === 1) continue;
        if (slot.delivery !== undefined) continue;
        slots[slot.n] = hire(slot.n, revision);
      }
      for (const slot of slots)
        if (slot.delivery !== undefined && which === "all") slot.worker.revision = revision;
    },
    stopUntil(atMs) {
      stoppedUntilMs = Math.max(stoppedUntilMs, atMs);
      clock.at(atMs, pump);
    },
    isIdle: () => slots.every((slot) => slot.delivery === undefined),
  };
}
