// Claims-based security: before it opens a link, the SDK puts a token to `$cbs` and waits for a
// status. A signature made with a key is good whatever it is; a token of an identity must be one for
// Service Bus that has not expired, else the SDK hears 401. This broker listens on the loopback
// address only and guards nothing.

import type { Receiver } from "rhea";

import { whyNotTaken } from "../../../bearer-token.ts";
import { types } from "../codec.ts";
import { serveRequests } from "./replies.ts";

export function serveTokenRequests(link: Receiver): void {
  serveRequests(link, (request) => {
    const refused =
      request.properties["type"] === "jwt" ? whyRefused(String(request.body)) : undefined;
    request.reply(
      refused === undefined
        ? { "status-code": types.wrap_int(202), "status-description": "Accepted" }
        : { "status-code": types.wrap_int(401), "status-description": `Unauthorized: ${refused}.` },
      undefined,
    );
  });
}

/** Of a token of an identity, over AMQP and https alike. */
export function whyRefused(token: string): string | undefined {
  return whyNotTaken(token, (audience) => audience === serviceBusAudience, Date.now());
}

const serviceBusAudience = "https://servicebus.azure.net";
