// Who may work on a session: one receiver at a time, for as long as it renews.
//
//   free --hold--> held --release (detach, end, socket lost)--> free, messages back uncounted
//                   |---renew---> held, later
//                   '---time----> lost: the holder is told, messages back, one delivery counted
//
// Azure counts a delivery when the session's lock runs out, and not when the session is closed with
// messages unsettled (Microsoft Learn, "Message sessions").

import type { Message, Refusal, SessionHold } from "./message.ts";
import { refusals } from "./message.ts";
import {
  makeReady,
  returnAfterFailure,
  sessionOf,
  wakeSession,
  type Queue,
  type Session,
} from "./queue.ts";
import { unlock } from "./settle.ts";

export type Holder = Pick<SessionHold, "linkName" | "onLost" | "pump">;

/** By id, whether or not it has messages. */
export function holdSession(queue: Queue, id: string, holder: Holder): Refusal | SessionHold {
  const session = sessionOf(queue, id);
  if (session.hold !== undefined) return refusals.sessionCannotBeLocked;
  return hold(queue, session, holder);
}

/** The session longest ready, or the next to become so, if there ever is one. Returns a way to stop waiting. */
export function holdNextSession(
  queue: Queue,
  holder: Holder,
  { onHeld, onRefused }: { onHeld(hold: SessionHold): void; onRefused(refusal: Refusal): void },
): () => void {
  const [session] = queue.freeSessions;
  if (session !== undefined) {
    onHeld(hold(queue, session, holder));
    return () => {};
  }
  const waiter = {
    give: (free: Session): void => onHeld(hold(queue, free, holder)),
    refuse: onRefused,
  };
  queue.waiters.add(waiter);
  return () => queue.waiters.delete(waiter);
}

function hold(queue: Queue, session: Session, holder: Holder): SessionHold {
  const taken: SessionHold = {
    ...holder,
    sessionId: session.id,
    untilMs: queue.clock.nowMs() + queue.settings.lockDuration,
    locks: new Set(),
    ended: false,
    cancelExpiry: () => {},
  };
  session.hold = taken;
  queue.freeSessions.delete(session);
  watchExpiry(queue, taken);
  queue.log.note("sessionLocked", queue.name, { sessionId: session.id });
  return taken;
}

function watchExpiry(queue: Queue, held: SessionHold): void {
  held.cancelExpiry = queue.clock.alarm(held.untilMs, () => loseSession(queue, held));
}

export function renewSession(queue: Queue, held: SessionHold): { untilMs: number } {
  held.cancelExpiry();
  held.untilMs = queue.clock.nowMs() + queue.settings.lockDuration;
  for (const lock of held.locks) lock.untilMs = held.untilMs;
  watchExpiry(queue, held);
  return { untilMs: held.untilMs };
}

/** The holder went away of its own accord, or its socket did. */
export function releaseSession(queue: Queue, held: SessionHold): void {
  if (held.ended) return;
  queue.log.note("sessionReleased", queue.name, { sessionId: held.sessionId });
  endHold(queue, held, (message) => {
    if (message.state === "active") makeReady(queue, message);
  });
}

/** The lock ran out while its holder still had it. */
export function loseSession(queue: Queue, held: SessionHold): void {
  if (held.ended) return;
  queue.log.note("sessionLockLost", queue.name, { sessionId: held.sessionId });
  endHold(queue, held, (message) => returnAfterFailure(queue, message));
  held.onLost();
}

function endHold(queue: Queue, held: SessionHold, giveBack: (message: Message) => void): void {
  held.ended = true;
  held.cancelExpiry();
  const session = sessionOf(queue, held.sessionId);
  const messages = [...held.locks].map((lock) => lock.message);
  for (const lock of held.locks) unlock(queue, lock);
  // All messages must be back before anybody else gets the session, or the order would break.
  for (const message of messages) giveBack(message);
  session.hold = undefined;
  wakeSession(queue, session);
}

/** The hold of a session, if this link has it. Without a link name any holder's will do. */
export function holdOf(
  queue: Queue,
  sessionId: string,
  linkName?: string,
): SessionHold | undefined {
  const held = queue.sessions.get(sessionId)?.hold;
  if (linkName !== undefined && held?.linkName !== linkName) return undefined;
  return held;
}

export function setSessionState(queue: Queue, sessionId: string, state: Buffer | undefined): void {
  sessionOf(queue, sessionId).state = state;
  queue.store.setSessionState(queue.name, sessionId, state);
}
