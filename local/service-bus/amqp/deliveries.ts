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
  userAgentOf,
} from "./rhea-internals.ts";
import { isRefusal, underFaults } from "./under-faults.ts";

export type Deliveries = {
  /** Sends what is ready, within the credit. */
  pump(): void;
  end(): void;
};

type Outlet = {
  broker: Broker;
  queue: Queue;
  link: Sender;
  hold: SessionHold | undefined;
  /** The reply to the attach is out. rhea would write transfers that wait for it before it. */
  attached: boolean;
  ended: boolean;
  drainWanted: boolean;
  /** Deleted and on their way to disk; they take up credit until they are sent. */
  committing: number;
  /** A planned delay. */
  pausedUntilMs: number;
};

export function startDeliveries(
  broker: Broker,
  queue: Queue,
  link: Sender,
  hold: SessionHold | undefined,
): Deliveries {
  const state = {
    attached: false,
    ended: false,
    drainWanted: false,
    committing: 0,
    pausedUntilMs: 0,
  };
  const outlet: Outlet = { broker, queue, link, hold, ...state };
  link.on("sender_flow", () => pump(outlet));
  link.on("sendable", () => pump(outlet));
  link.on("sender_draining", () => {
    outlet.drainWanted = true;
    pump(outlet);
  });
  for (const outcome of ["accepted", "rejected", "modified", "released"]) {
    link.on(outcome, ({ delivery }: EventContext) => {
      if (delivery !== undefined) settleByLink(outlet, delivery);
    });
  }
  // The reply is written at the end of this turn; credit may have come along with the attach.
  setImmediate(() => {
    outlet.attached = true;
    pump(outlet);
  });
  return {
    pump: () => pump(outlet),
    end() {
      outlet.ended = true;
    },
  };
}

function pump(outlet: Outlet): void {
  const sendOne = outlet.link.snd_settle_mode === 1 ? sendDeleted : sendLocked;
  while (canSend(outlet) && readyCount(outlet) > 0) {
    if (!meetFault(outlet)) return;
    sendOne(outlet);
  }
  if (outlet.drainWanted && outlet.committing === 0 && !isPaused(outlet)) {
    outlet.drainWanted = false;
    answerDrain(outlet.link);
  }
}

function canSend(outlet: Outlet): boolean {
  const { attached, ended, hold, link, committing } = outlet;
  if (!attached || ended || hold?.ended === true || !link.is_open() || isPaused(outlet))
    return false;
  return sparePlaces(link) - committing > 0;
}

function isPaused({ broker, pausedUntilMs }: Outlet): boolean {
  return pausedUntilMs > broker.clock.nowMs();
}

function readyCount({ queue, hold }: Outlet): number {
  if (hold === undefined) return queue.ready.size;
  return queue.sessions.get(hold.sessionId)?.ready.size ?? 0;
}

function sendLocked({ queue, link, hold }: Outlet): void {
  const lock = receive(queue, hold);
  // Undefined: what was ready had expired.
  if (lock === undefined) return;
  link.send(writeDelivery(lock.message, lock.untilMs), tagOfToken(lock.token), 0);
}

function sendDeleted(outlet: Outlet): void {
  const { broker, queue, link, hold } = outlet;
  const taken = receiveAndDelete(queue, hold);
  if (taken === undefined) return;
  outlet.committing += 1;
  broker.store.afterCommit(() => {
    outlet.committing -= 1;
    if (!link.is_open()) return;
    sendSettled(link.send(writeDelivery(taken, undefined), Buffer.alloc(0), 0));
    pump(outlet);
  });
}

/** False when a planned fault stops the next delivery. */
function meetFault(outlet: Outlet): boolean {
  const { broker, queue, link, hold } = outlet;
  const subject = {
    operation: "receive",
    queue: queue.name,
    sessionId: hold?.sessionId,
  } as const;
  const fault = broker.faults.draw(subject, userAgentOf(link.connection));
  switch (fault?.fault) {
    case "dropBefore":
      cutConnection(link.connection);
      return false;
    case "dropAfterCommit":
      // Locked for a client that never sees it.
      receive(queue, hold);
      cutConnection(link.connection);
      return false;
    case "delay":
      outlet.pausedUntilMs = broker.clock.nowMs() + (fault?.delayMs ?? 0);
      broker.clock.alarm(outlet.pausedUntilMs, () => pump(outlet));
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

function settleByLink({ broker, queue, link }: Outlet, delivery: Delivery): void {
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
