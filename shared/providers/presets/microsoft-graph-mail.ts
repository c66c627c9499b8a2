// Microsoft Graph: POST /users/{id}/sendMail.
//
// https://learn.microsoft.com/graph/outlook-things-to-know-about-send-mail promises: 202 once a draft was saved; everything
// after that happens when the answer has been given; on success the message is moved to Sent Items, and a message that
// cannot be sent comes back as a non-delivery report.
// https://learn.microsoft.com/graph/api/user-list-messages (not read again for this file): messages can be filtered, which is
// only used to look.
//
// Not relied on, because not promised: any key, how soon Sent Items shows a message, and that an error sent nothing
// (senders report the opposite of 429 and 5xx). So what Sent Items shows settles, and what it does not show goes to a person.
import type { Contract } from "../../domain/contract.ts";

export const microsoftGraphMail: Contract = {
  revision: 1,
  lookup: { by: "search", consistency: "eventual", settleMs: 15 * 60_000 },
  horizonMs: 600_000,
  callTimeoutMs: 60_000,
  consequence: "A repeated call is a second message to the same person.",
};
