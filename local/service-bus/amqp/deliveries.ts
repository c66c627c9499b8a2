// Messages out over one link, as its credit allows, and what the client says became of them.
//
// peek-lock: the delivery goes out unsettled; the client answers with a state, the broker does it,
// and settles when the disk has it. receive-and-delete: the message is deleted first, on disk, and
// only then sent, settled.

import type { Delivery, EventContext, Sender } from "rhea";

import type { Broker } from "../broker/broker.ts";
import { writeDelivery } from "../broker/content.ts";
import type { Lock, SessionHold } from "../broker/message.ts";
import { refusals } from "../broker/message.ts";
import type { Queue } from "../broker/queue.ts";
import { loseSession } from "../broker/sessions.ts";
import { receive, receiveAndDelete, settle, type Settlement } from "../broker/settle.ts";
import { accepted, rejected } from "./codec.ts";
import { tagOfToken, tokenOfTag } from "./lock-token.ts";
import {
  answerDrain,
  cutConnection,
  sendSettled,
  settleDelivery,
  sparePlaces,
} from "./rhea-internals.ts";
import { isRefusal, underFaults } from "./under-faults.ts";

export type Deliveries = {
  /** Sends what is ready, within the credit. */
  pump(): void;
  end(): void;
};

export function startDeliveries(
  broker: Broker,
  queue: Queue,
  link: Sender,
  hold: SessionHold | undefined,
): Deliveries {
  const deletes = link.snd_settle_mode === 1;
  let ended = false;
  let drainWanted = false;
  /** Deleted and on its way to disk; takes up credit until it is sent. */
  let committing = 0;
  let pausedUntilMs = 0;

  function pump(): void {
    while (canSend()) {
      if (!meetFault()) return;
      if (!(deletes ? sendDeleted() : sendLocked())) break;
    }
    if (drainWanted && committing === 0 && !isPaused()) {
      drainWanted = false;
      answerDrain(link);
    }
  }
  function canSend(): boolean {
    if (ended || hold?.ended === true || !link.is_open() || isPaused()) return false;
    return sparePlaces(link) - committing > 0;
  }
  function isPaused(): boolean {
    return pausedUntilMs > broker.clock.nowMs();
  }
  function sendLocked(): boolean {
    const lock = receive(queue, hold);
    if (lock === undefined) return false;
    link.send(writeDelivery(lock.message, lock.untilMs), tagOfToken(lock.token), 0);
    return true;
  }
  function sendDeleted(): boolean {
    const taken = receiveAndDelete(queue, hold);
    if (taken === undefined) return false;
    committing += 1;
    broker.store.afterCommit(() => {
      committing -= 1;
      if (!link.is_open()) return;
      sendSettled(link.send(writeDelivery(taken, undefined), Buffer.alloc(0), 0));
      pump();
    });
    return true;
  }
  /** False when a planned fault stops this delivery. */
  function meetFault(): boolean {
    const hasReady = (hold === undefined ? queue.ready.size : readyInSession()) > 0;
    const subject = {
      operation: "receive",
      queue: queue.name,
      sessionId: hold?.sessionId,
    } as const;
    const fault = hasReady ? broker.faults.draw(subject) : undefined;
    switch (fault?.fault) {
      case "dropBefore":
        cutConnection(link.connection);
        return false;
      case "dropAfterCommit":
        receive(queue, hold);
        cutConnection(link.connection);
        return false;
      case "delay":
        pausedUntilMs = broker.clock.nowMs() + (fault?.delayMs ?? 0);
        broker.clock.alarm(pausedUntilMs, pump);
        return false;
      case "loseSessionLock":
        if (hold !== undefined) loseSession(queue, hold);
        return false;
      case "serverBusy":
        link.close(refusals.serverBusy);
        return false;
      case "discard":
      case "redeliverCompleted":
      case undefined:
        return true;
    }
  }
  function readyInSession(): number {
    return queue.sessions.get(hold?.sessionId ?? "")?.ready.size ?? 0;
  }

  link.on("sender_flow", pump);
  link.on("sender_draining", () => {
    drainWanted = true;
    pump();
  });
  link.on("sendable", pump);
  for (const outcome of ["accepted", "rejected", "modified", "released"]) {
    link.on(outcome, ({ delivery }: EventContext) => {
      if (delivery !== undefined) settleByLink(broker, queue, link, delivery);
    });
  }
  return {
    pump,
    end() {
      ended = true;
    },
  };
}

function settleByLink(broker: Broker, queue: Queue, link: Sender, delivery: Delivery): void {
  const settlement = settlementOf(delivery);
  const token = tokenOfTag(delivery.tag);
  const lock: Lock | undefined = queue.locks.get(token);
  underFaults<undefined>(broker, {
    subject:
      settlement.kind === "complete"
        ? { operation: "complete", queue: queue.name, sessionId: lock?.message.sessionId }
        : undefined,
    queue,
    connection: link.connection,
    apply: () => settle(queue, token, settlement),
    answer(result) {
      settleDelivery(delivery, isRefusal(result) ? rejected(result) : accepted());
    },
    pretend: { redeliverCompleted: () => settle(queue, token, { kind: "release" }) },
  });
}

type RemoteState = {
  undeliverable_here?: boolean;
  message_annotations?: Record<string, unknown>;
  error?: { info?: Record<string, unknown> };
  constructor: { composite_type?: string };
};

function settlementOf(delivery: Delivery): Settlement {
  const state = delivery.remote_state as unknown as RemoteState;
  switch (state.constructor.composite_type) {
    case "accepted":
      return { kind: "complete" };
    case "rejected":
      return { kind: "deadLetter", properties: plainValues(state.error?.info) };
    case "modified":
      return {
        kind: state.undeliverable_here === true ? "defer" : "abandon",
        properties: plainValues(state.message_annotations),
      };
    default:
      return { kind: "abandon", properties: {} };
  }
}

function plainValues(map: Record<string, unknown> | undefined): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(map ?? {}).filter(([, value]) => value !== undefined && value !== null),
  );
}
