// The sources of the app's own events, and whether this code's workflow knows an event's type. Pure.
import type { Workflow } from "./definitions.ts";
import type { Event } from "./records/inbox.ts";

export const refreshSource = "refresh";
export const investigateSource = "investigate";

/** Why the workflow of this code does not know the event's type. Undefined when it does, and for an event of another workflow. */
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
