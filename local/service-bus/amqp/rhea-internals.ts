// The places where this broker reaches into rhea 3.0.5 (the version is pinned for that). rhea is
// written for clients; a broker needs nine things its API lacks. Each is one function here, with
// what goes wrong without it, and each has a test in test/local/service-bus/traps.test.ts.
// All overrides are on instances: a client in the same process is not affected.

import { createRequire } from "node:module";
import type { Socket } from "node:net";

import type { Connection, Delivery, EventContext, Receiver, Sender, Session } from "rhea";

type OutgoingDelivery = Delivery & { settled: boolean; remote_settled: boolean };

type SenderInternals = {
  credit: number;
  delivery_count: number;
  issue_flow: boolean;
  _draining: boolean;
  _get_drain(): boolean;
  state: { open_requests: number };
  local: { attach: AttachFields };
  connection: Connection & { _register(): void };
  session: {
    outgoing: { available(): number; next_delivery_id: number; next_pending_delivery: number };
  };
};

type AttachFields = {
  snd_settle_mode?: number;
  rcv_settle_mode?: number;
  max_message_size?: number;
  properties?: Record<string, unknown>;
};

type TransferFrame = { performative: { message_format: number | undefined | null } };

/** The message format under which single messages reach the `message` event as raw bytes. */
export const RAW_SINGLE = 0x7fffffff;

/**
 * 1. rhea decodes format-0 messages and drops the bytes, and with them the AMQP types. Any other
 * format is handed over undecoded, so format 0 is renamed as it comes in.
 */
export function keepRawMessages(session: Session): void {
  const internals = session as unknown as { on_transfer(frame: TransferFrame): void };
  const original = internals.on_transfer.bind(session);
  internals.on_transfer = (frame) => {
    const { performative } = frame;
    if (!performative.message_format) performative.message_format = RAW_SINGLE;
    original(frame);
  };
}

/** What a `message` event carries on such a link. */
export function rawMessage(context: EventContext): Buffer {
  return context.message as unknown as Buffer;
}

/**
 * 2. The reply to an attach cannot be held back in rhea's API, but accepting the next free session
 * waits for one. Call in the `sender_open` event; `sendAttach` lets the reply go.
 */
export function holdAttach(link: Sender): void {
  internalsOf(link).state.open_requests = 0;
}

export function sendAttach(link: Sender): void {
  const internals = internalsOf(link);
  internals.state.open_requests = 1;
  internals.connection._register();
}

/** Sets fields of the attach reply. */
export function setAttach(link: Sender | Receiver, fields: AttachFields): void {
  Object.assign((link as unknown as SenderInternals).local.attach, fields);
}

/**
 * 3. How many deliveries may be handed to rhea now. It lowers `credit` only when it writes, so the
 * unwritten ones are subtracted; and it keeps at most 2048 unsettled ones in a ring.
 */
export function sparePlaces(link: Sender): number {
  const { credit, session } = internalsOf(link);
  return Math.min(credit - unwritten(link), session.outgoing.available());
}

function unwritten(link: Sender): number {
  const { outgoing } = internalsOf(link).session;
  return outgoing.next_delivery_id - outgoing.next_pending_delivery;
}

/**
 * 4. The client waits for an answer to each drain request, also when the last message crossed it
 * and no credit is left; rhea then stays silent, and the client closes the link and loses the
 * session. The answer leaves once all deliveries before it are written.
 */
export function answerDrain(link: Sender): void {
  const internals = internalsOf(link);
  if (!link.is_open()) return;
  if (unwritten(link) > 0 && internals.credit > 0) {
    // Blocked by the session's window: try again when the client has taken some.
    setTimeout(() => answerDrain(link), 5);
    return;
  }
  internals._get_drain = () => {
    if (!internals._draining) return false;
    internals._draining = false;
    internals.delivery_count += internals.credit;
    internals.credit = 0;
    return true;
  };
  internals.issue_flow = true;
  internals.connection._register();
}

/**
 * 5. The client never settles a delivery the broker has settled, and rhea keeps a slot of its ring
 * until both sides have: without this a link stops dead after 2048 messages.
 */
export function settleDelivery(delivery: Delivery, outcome: unknown): void {
  delivery.update(true, outcome);
  (delivery as OutgoingDelivery).remote_settled = true;
}

/** The same for a delivery sent settled, whose slot rhea frees once it is written. */
export function sendSettled(delivery: Delivery): void {
  (delivery as OutgoingDelivery).settled = true;
}

/**
 * 6. rhea reports a lost peer from the socket's `end` and `error`, which a socket destroyed on this
 * side emits neither of. `close` comes last in every case.
 */
export function onSocketClosed(connection: Connection, ended: () => void): void {
  socketOf(connection).once("close", ended);
}

/** Cuts the connection as a broken network would: no close frame, no goodbye. */
export function cutConnection(connection: Connection): void {
  socketOf(connection).destroy();
}

/**
 * 7. rhea joins neighbouring dispositions of one tick, and never compares the first two outcomes: a refusal right after an
 * acceptance would be told as an acceptance, and the message would be gone. So each is written by itself.
 */
export function tellEachOutcome(session: Session): void {
  const { incoming, outgoing, output } = session as unknown as {
    incoming: Dispositions;
    outgoing: Dispositions;
    output(frame: object): void;
  };
  const sides = [
    [incoming, true],
    [outgoing, false],
  ] as const;
  for (const [side, role] of sides) {
    side.update = (delivery, settled, state) => {
      delivery.settled = settled;
      if (state !== undefined) delivery.state = state;
      if (!delivery.remote_settled) {
        const { id } = delivery;
        const fields = { role, first: id, last: id, state: delivery.state, settled };
        output.call(session, frames.disposition(fields));
      }
      delivery.link.connection._register();
    };
  }
}

type Dispositions = {
  update(delivery: PendingDelivery, settled: boolean, state: unknown): void;
};

type PendingDelivery = {
  id: number;
  settled: boolean;
  remote_settled: boolean;
  state: unknown;
  link: { connection: { _register(): void } };
};

const frames = createRequire(import.meta.url)("rhea/lib/frames.js") as {
  disposition(fields: object): object;
};

/**
 * 8. A client on rhea answers a detach of ours even when it has ended that link's session meanwhile, because the two crossed.
 * rhea here calls that a breach and cuts the connection, with every other link on it. It says nothing new: let it pass.
 */
export function letLateDetachesPass(connection: Connection): void {
  const internals = connection as unknown as {
    remote_channel_map: Record<number, unknown>;
    on_detach(frame: { channel: number }): void;
  };
  const original = internals.on_detach.bind(connection);
  internals.on_detach = (frame) => {
    if (internals.remote_channel_map[frame.channel] !== undefined) original(frame);
  };
}

/**
 * 9. rhea gives each frame to the socket by itself, and a system call for each was a tenth of the broker's time. What one round
 * writes leaves together.
 */
export function writeTogether(connection: Connection): void {
  const internals = connection as unknown as { _process(): void; socket: Socket | undefined };
  const original = internals._process.bind(connection);
  internals._process = () => {
    const { socket } = internals;
    socket?.cork();
    try {
      original();
    } finally {
      socket?.uncork();
    }
  };
}

function socketOf(connection: Connection): Socket {
  return (connection as unknown as { socket: Socket }).socket;
}

function internalsOf(link: Sender): SenderInternals {
  return link as unknown as SenderInternals;
}

/** What the client says it is, when it opens a connection. */
export function userAgentOf(connection: Connection): string {
  const { remote } = connection as { remote?: { open?: { properties?: Record<string, unknown> } } };
  const userAgent = remote?.open?.properties?.["user-agent"];
  return typeof userAgent === "string" ? userAgent : "";
}
