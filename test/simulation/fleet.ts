// The workers of a world: slots that take messages, die, freeze, lose their locks and come back as somebody new.
//
// Paced, two slots are one instance: they share its places and its breaker, and are killed together.
import { TransientFault } from "../../shared/domain/faults.ts";
import { caseKeyText } from "../../shared/domain/identity.ts";
import { pacing } from "../../shared/flow/turn/pacing.ts";
import type { TurnPorts } from "../../shared/flow/turn/turn.ts";
import { handleHint } from "../../shared/flow/wake/handle-hint.ts";
import type { TurnTaken } from "../audit/testimony.ts";
import type { Delivery, QueueName } from "../memory/memory-hints.ts";
import { pacingLimits } from "./contracts.ts";
import { portsOf } from "./worker-ports.ts";
import type { WorkerState, World } from "./world.ts";

/** How long a frozen worker keeps its session: nobody renews the lock for it. */
const lockMs = 60_000;
const restartMs = 2000;

interface Slot {
  n: number;
  worker: WorkerState;
  ports: TurnPorts;
  delivery: Delivery | undefined;
  /** Counts deliveries, so that an old turn's end does not free a new one. */
  turn: number;
  /** What its next worker runs. */
  revision: number;
  /** Its process began before the settings changed: it ends what it has in hand, and another begins. */
  isOld: boolean;
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

export interface Fleet {
  /** Gives every free slot a message, if there is one. */
  pump(): void;
  kill(worker: WorkerState): void;
  /** Told before a worker is held for so long. */
  freeze(worker: WorkerState, ms: number): void;
  /** A busy worker first ends what it has in hand. */
  deploy(revision: number, slots: "some" | "all"): void;
  /** New processes, with the settings as they are now: in one instance, or in all. */
  restart(instances: "some" | "all"): void;
  /** No worker takes anything until then. */
  stopUntil(atMs: number): void;
  isIdle(): boolean;
}

export function fleetOf(
  world: World,
  options: {
    slots: number;
    lagOf(turn: number): number;
    /** How long into this turn its session's lock is lost. */
    lockLostAfterMs?(turn: number): number | undefined;
  },
): Fleet {
  const { clock, notes } = world;
  let made = 0;
  let turns = 0;
  let stoppedUntilMs = 0;
  const slots: Slot[] = [];
  const instanceOf = (n: number) => slots.filter((slot) => slot.n >> 1 === n >> 1);

  function hire(n: number, revision: number): Slot {
    made += 1;
    const id = `w${made}`;
    const paced = world.options.paced === true;
    const beside = paced
      ? instanceOf(n).find(
          (slot) =>
            slot.n !== n && !slot.worker.dead && !slot.isOld && slot.worker.revision === revision,
        )
      : undefined;
    const worker: WorkerState = {
      id,
      dead: false,
      revision,
      lagVersions: 0,
      instance: beside?.worker.instance ?? `i${made}`,
      keys: beside?.worker.keys ?? world.keyring.now(),
    };
    if (paced) worker.pacing = beside?.worker.pacing ?? pacing(world.nowMs, pacingLimits);
    const ports = portsOf(world, worker);
    return { n, worker, ports, delivery: undefined, turn: 0, revision, isOld: false };
  }
  for (let n = 0; n < options.slots; n += 1) slots.push(hire(n, 1));
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
    const { hintId } = message.delivery.hint;
    const isLost = ({ delivery, worker }: Slot) => !worker.dead && delivery?.hint.hintId === hintId;
    if (slots.some((other) => other !== slot && isLost(other)))
      notes.happen("a living worker lost its session to another");
    const lostAfterMs = options.lockLostAfterMs?.(turns);
    if (lostAfterMs !== undefined) loseLock(message.delivery, lostAfterMs);
    void runTurn(slot, message, turns);
  }

  function loseLock(delivery: Delivery, afterMs: number): void {
    clock.at(clock.nowMs() + afterMs, () => {
      delivery.abandon();
      pump();
    });
  }

  async function runTurn(slot: Slot, message: Message, turn: number): Promise<void> {
    await deliver(world, slot, message);
    if (slot.turn !== turn) return;
    slot.delivery = undefined;
    if (slot.isOld || slot.revision !== slot.worker.revision)
      slots[slot.n] = hire(slot.n, slot.revision);
    clock.at(clock.nowMs(), pump);
  }

  function killSlot(slot: Slot): void {
    slot.worker.dead = true;
    world.notes.lostWorkers.add(slot.worker.id);
    // The broker sees the socket close, or waits for the lock.
    const { delivery } = slot;
    clock.at(clock.nowMs() + (slot.turn % 2 === 0 ? 5 : lockMs), () => {
      delivery?.abandon();
      pump();
    });
    clock.at(clock.nowMs() + restartMs, () => {
      slots[slot.n] = hire(slot.n, slot.revision);
      pump();
    });
  }

  return {
    pump,
    kill(worker) {
      const slot = slotOf(worker);
      if (worker.dead || slot === undefined) return;
      const dying = world.options.paced === true ? instanceOf(slot.n) : [slot];
      for (const one of dying) if (!one.worker.dead) killSlot(one);
    },
    freeze(worker, ms) {
      const delivery = slotOf(worker)?.delivery;
      if (ms >= lockMs && delivery !== undefined) loseLock(delivery, lockMs);
    },
    deploy(revision, which) {
      for (const slot of slots) {
        if (which === "some" && slot.n % 2 === 1) continue;
        slot.revision = revision;
        if (slot.delivery === undefined && !slot.worker.dead)
          slots[slot.n] = hire(slot.n, revision);
      }
    },
    restart(which) {
      const restarted = slots.filter((slot) => which === "all" || slot.n < 2);
      for (const slot of restarted) slot.isOld = true;
      for (const slot of restarted) {
        if (slot.delivery === undefined && !slot.worker.dead)
          slots[slot.n] = hire(slot.n, slot.revision);
      }
    },
    stopUntil(atMs) {
      stoppedUntilMs = Math.max(stoppedUntilMs, atMs);
      clock.at(atMs, pump);
    },
    isIdle: () =>
      clock.nowMs() >= stoppedUntilMs && slots.every((slot) => slot.delivery === undefined),
  };
}

/** Runs the turn of one delivery; a fault gives the message back, as the host does. */
async function deliver(
  { notes, nowMs }: World,
  { ports, worker }: Slot,
  { delivery, queue }: Message,
): Promise<void> {
  const { deliveryCount, hint } = delivery;
  const turn: TurnTaken = {
    worker: worker.id,
    caseId: hint.caseId,
    fromMs: nowMs(),
    redelivered: deliveryCount > 1,
    lagVersions: worker.lagVersions,
  };
  notes.turns.push(turn);
  try {
    await handleHint(
      ports,
      { ...hint, caseKey: caseKeyText(hint) },
      { queue, deliveryCount, wallClockMs: nowMs(), random: () => crypto.randomUUID() },
    );
    delivery.complete();
  } catch (error) {
    delivery.abandon();
    turn.failed = true;
    notes.lostWorkers.add(worker.id);
    if (!(error instanceof TransientFault)) {
      notes.defects.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
    }
  }
  turn.untilMs = nowMs();
}
