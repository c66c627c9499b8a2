// The routes of a drain: they are about the whole deployment, so no role of one tenant is enough.
import { z } from "zod";
import { DecisionId, getRoute, postRoute, Reason } from "../route.ts";
import { DrainState } from "./drain.ts";

const body = z.strictObject({ reason: Reason, decisionId: DecisionId.optional() });
const answer = { schema: DrainState, says: "The drain as it is now." };

export const showDrainRoute = getRoute({
  name: "show-drain",
  path: "drain",
  summary: "Whether a drain is on, by whom and why, and which calls are still under way.",
  role: "reader",
  params: z.strictObject({}),
  answer,
  problems: [],
});

export const startDrainRoute = switchRoute(
  "start",
  "Stops new decisions and new claims; calls end, events are taken. Twice is one.",
);
export const stopDrainRoute = switchRoute(
  "stop",
  "Lets the work go on: what was put off is looked at within half a minute. Twice is one.",
);

function switchRoute(does: "start" | "stop", summary: string) {
  return postRoute({
    name: `${does}-drain`,
    path: `drain/${does}`,
    summary,
    role: "admin",
    params: z.strictObject({}),
    body,
    answer: { status: 200, ...answer },
    problems: [],
    record: ({ body }) => ({ subject: "drain", ...body }),
  });
}
