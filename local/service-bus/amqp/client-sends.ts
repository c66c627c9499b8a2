// The client sends to an entity: single messages (format 0) and batches (0x80013700). Each delivery
// is settled once the disk has all of it, accepted or rejected as a whole.

import type { Delivery, Receiver } from "rhea";

import type { Broker } from "../broker/broker.ts";
import { readMessage, splitBatch } from "../broker/content.ts";
import { enqueue, MESSAGE_SIZE_MAX_BYTES, type Enqueued } from "../broker/enqueue.ts";
import { tooLarge } from "../broker/message.ts";
import type { Queue } from "../broker/queue.ts";
import { accepted, rejected } from "./codec.ts";
import { rawMessage, setAttach, settleDelivery } from "./rhea-internals.ts";
import { isRefusal, underFaults } from "./under-faults.ts";

const BATCH_FORMAT = 0x80013700;

export function serveSender(broker: Broker, queue: Queue, link: Receiver): void {
  // The SDK sizes its batches by this.
  setAttach(link, { max_message_size: MESSAGE_SIZE_MAX_BYTES });
  link.on("message", (context) => {
    accept(broker, queue, link, context.delivery, rawMessage(context), Number(context["format"]));
  });
}

function accept(
  broker: Broker,
  queue: Queue,
  link: Receiver,
  delivery: Delivery,
  encoded: Buffer,
  format: number,
): void {
  const messages = (format === BATCH_FORMAT ? splitBatch(encoded) : [encoded]).map(readMessage);
  const [first] = messages;
  underFaults<Enqueued>(broker, {
    subject: { operation: "send", queue: queue.name, sessionId: first?.sessionId },
    queue,
    connection: link.connection,
    apply: () =>
      encoded.length > MESSAGE_SIZE_MAX_BYTES
        ? tooLarge(encoded.length, MESSAGE_SIZE_MAX_BYTES)
        : enqueue(queue, messages),
    answer(result) {
      settleDelivery(delivery, isRefusal(result) ? rejected(result) : accepted());
    },
    pretend: {
      discard() {
        for (const lost of messages) queue.log.note("discarded", queue.name, lost);
        return { sequenceNumbers: [] };
      },
    },
  });
}
