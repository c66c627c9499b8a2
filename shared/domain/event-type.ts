// Which events are the app's own, and which are of a type that this code's workflow does not have. Pure.
import type { Workflow } from "./definitions.ts";
import type { Event } from "./records/inbox.ts";

export const refreshSource = "refresh";
export const investigateSource = "investigate";

/** Undefined: it can be folded here. What is another workflow's is told apart before. */
export function whyTypeUnknown(event: Event, workflow: Workflow): string | undefined {
  const { eventType, source } = event;
  if (
    event.workflow !== workflow.type ||
    source === refreshSource ||
    source === investigateSource
  ) {
    return undefined;
  }
  return Object.hasOwn(workflow.events, eventType)
    ? undefined
    : `this code's ${workflow.type} has no event ${eventType}`;
}
