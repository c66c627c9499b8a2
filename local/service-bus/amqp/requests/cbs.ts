// Claims-based security: before it opens a link, the SDK puts a token to `$cbs` and waits for a
// status. Any token is good here. This broker listens on the loopback address only and guards
// nothing; what it owes the SDK is the answer.

import type { Receiver } from "rhea";

import { types } from "../codec.ts";
import { serveRequests } from "./replies.ts";

export function serveTokenRequests(link: Receiver): void {
  serveRequests(link, (request) => {
    request.reply(
      { "status-code": types.wrap_int(202), "status-description": "Accepted" },
      undefined,
    );
  });
}
