// Twilio SendGrid, v3: POST /mail/send.
//
// https://support.sendgrid.com/hc/en-us/articles/37945843123995 promises: 202 means received and queued, not sent, and a
// message may never be sent after it; what became of it the Event Webhook tells. https://sendgrid.com/docs/glossary/x-message-id/
// promises: `X-Message-Id` of the answer is what those events are matched by;
// https://www.twilio.com/docs/sendgrid/ui/sending-email/deferrals: delivery is tried for up to 72 hours, and then expires.
//
// Not relied on, because not promised: any key (web pages that name an `Idempotency-Key` have no source for it), any
// look-up by a marker of ours, and that an error sent nothing. So an unclear send goes to a person.
import type { Contract } from "../../domain/contract.ts";

export const sendgridV3: Contract = {
  revision: 1,
  deliverySilenceMs: 72 * 3_600_000,
  horizonMs: 600_000,
  callTimeoutMs: 30_000,
  consequence: "A repeated call is a second message to the same person.",
};
