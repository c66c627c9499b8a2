// Requests and their replies over a pair of links on one AMQP session, as $cbs and $management use
// them. The reply link is the one named by the request's reply-to: the SDK puts the link's NAME
// there for $cbs, and its target address for $management.

import type { Receiver, Sender } from "rhea";

import { accepted, decodeMessage } from "../codec.ts";
import { rawMessage, sendSettled, settleDelivery } from "../rhea-internals.ts";

export type Request = {
  body: unknown;
  properties: Record<string, unknown>;
  /** Sends the reply, if the client's receiving link is still there. */
  reply(properties: Record<string, unknown>, body: unknown): void;
};

export function serveRequests(link: Receiver, handle: (request: Request) => void): void {
  link.on("message", (context) => {
    const { delivery } = context;
    // The link receives raw bytes under another format number; see rhea-internals.
    const request = decodeMessage(rawMessage(context));
    settleDelivery(delivery, accepted());
    handle({
      body: request.body,
      properties: request.application_properties ?? {},
      reply(properties, body) {
        const replyLink = findReplyLink(link, request.reply_to ?? "");
        if (replyLink === undefined || !replyLink.is_open()) return;
        const correlation_id = request.message_id;
        const reply = { application_properties: properties, body };
        // Settled, or the client would answer it and stall 40 ms on a delayed TCP acknowledgement.
        sendSettled(
          replyLink.send({ ...reply, ...(correlation_id !== undefined && { correlation_id }) }),
        );
      },
    });
  });
}

function findReplyLink(link: Receiver, replyTo: string): Sender | undefined {
  return link.session.find_sender(
    (sender: Sender) => sender.name === replyTo || sender.target?.address === replyTo,
  );
}
