// The client receives: the attach (plain, or a session by id, or the next free one), then messages
// as credit allows, then settlements.
//
// A refused attach looks to the SDK like this: an attach without what it asked for, followed at
// once by a detach with the error. A session receiver learns its session from the filter in the
// reply and its lock's end from a property in .NET ticks.

import type { Sender } from "rhea";

import type { Broker } from "../broker/broker.ts";
import { notAllowed, refusals, type Refusal, type SessionHold } from "../broker/message.ts";
import type { Queue } from "../broker/queue.ts";
import { wakeConsumers } from "../broker/queue.ts";
import { holdNextSession, holdSession, releaseSession, type Holder } from "../broker/sessions.ts";
import { types } from "./codec.ts";
import { startDeliveries, type Deliveries } from "./deliveries.ts";
import type { LinkEnd } from "./listener.ts";
import { holdAttach, sendAttach, setAttach } from "./rhea-internals.ts";
import { isRefusal } from "./under-faults.ts";

const SESSION_FILTER = "com.microsoft:session-filter";
const SESSION_WAIT_MAX_MS = 60_000;
const UNIX_EPOCH_TICKS = 621_355_968_000_000_000n;

export function serveReceiver(broker: Broker, queue: Queue, link: Sender): LinkEnd {
  const deletes = link.snd_settle_mode === 1;
  setAttach(link, {
    snd_settle_mode: deletes ? 1 : 0,
    rcv_settle_mode: deletes ? 0 : 1,
  });
  const wanted = wantedSession(link);
  if (wanted === undefined) {
    return queue.settings.requiresSession
      ? refuse(
          link,
          notAllowed("The entity requires sessions. Accept a session to receive from it."),
        )
      : servePlain(broker, queue, link);
  }
  if (!queue.settings.requiresSession) {
    return refuse(link, notAllowed("The entity has no sessions, so none can be accepted."));
  }
  return serveSession(broker, queue, link, wanted.sessionId);
}

function servePlain(broker: Broker, queue: Queue, link: Sender): LinkEnd {
  const deliveries = startDeliveries(broker, queue, link, undefined);
  queue.consumers.add(deliveries);
  return () => {
    queue.consumers.delete(deliveries);
    deliveries.end();
    // What it was about to be given goes to another; its locks stand until they run out.
    wakeConsumers(queue);
  };
}

function serveSession(
  broker: Broker,
  queue: Queue,
  link: Sender,
  sessionId: string | undefined,
): LinkEnd {
  let held: SessionHold | undefined;
  let deliveries: Deliveries | undefined;
  let stopWaiting = (): void => {};
  const holder: Holder = {
    linkName: link.name,
    pump: () => deliveries?.pump(),
    onLost() {
      deliveries?.end();
      link.close(refusals.sessionLockLost);
    },
  };
  const start = (hold: SessionHold): void => {
    held = hold;
    announceSession(link, hold);
    deliveries = startDeliveries(broker, queue, link, hold);
  };

  if (sessionId !== undefined) {
    const hold = holdSession(queue, sessionId, holder);
    if (isRefusal(hold)) return refuse(link, hold);
    start(hold);
  } else {
    holdAttach(link);
    stopWaiting = waitForSession(broker, queue, link, holder, start);
  }
  return () => {
    stopWaiting();
    deliveries?.end();
    if (held !== undefined) releaseSession(queue, held);
  };
}

function waitForSession(
  broker: Broker,
  queue: Queue,
  link: Sender,
  holder: Holder,
  start: (hold: SessionHold) => void,
): () => void {
  let answered = false;
  const waitMs = Number(link.properties?.["com.microsoft:timeout"] ?? SESSION_WAIT_MAX_MS);
  const refuseNow = (refusal: Refusal): void => {
    answered = true;
    giveUp();
    sendAttach(link);
    refuse(link, refusal);
  };
  const giveUp = broker.clock.alarm(broker.clock.nowMs() + waitMs, () => {
    leaveLine();
    refuseNow(refusals.timeout);
  });
  const leaveLine = holdNextSession(queue, holder, {
    onHeld(hold) {
      answered = true;
      giveUp();
      start(hold);
      sendAttach(link);
    },
    onRefused: refuseNow,
  });
  return () => {
    giveUp();
    leaveLine();
    // The client went away while it waited: an attach must precede the detach that answers it.
    if (!answered) sendAttach(link);
  };
}

function announceSession(link: Sender, hold: SessionHold): void {
  link.set_source({
    address: link.source.address,
    filter: { [SESSION_FILTER]: hold.sessionId },
  });
  const ticks = Buffer.alloc(8);
  // Beyond 2^53, so as bytes.
  ticks.writeBigInt64BE(BigInt(hold.untilMs) * 10_000n + UNIX_EPOCH_TICKS);
  setAttach(link, {
    properties: { "com.microsoft:locked-until-utc": types.wrap_long(ticks) },
  });
}

/** Undefined: no session is asked for. A session id of undefined: whichever is next. */
function wantedSession(link: Sender): { sessionId: string | undefined } | undefined {
  const filter = (link.source as { filter?: Record<string, unknown> }).filter;
  if (filter === undefined || filter === null || !(SESSION_FILTER in filter)) return undefined;
  // Other SDKs may send it as a described value.
  const value = filter[SESSION_FILTER] as { value?: unknown } | string | null | undefined;
  const plain = typeof value === "object" && value !== null ? value.value : value;
  return { sessionId: typeof plain === "string" ? plain : undefined };
}

function refuse(link: Sender, refusal: Refusal): LinkEnd {
  link.close(refusal);
  return () => {};
}
