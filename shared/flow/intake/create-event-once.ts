// One event document, however often its delivery comes and however unclear a write's end is.
//
// Identity is the document's id, content is the digest of its bytes, or else what is kept of them. An uncertain create is
// sent again: "exists" with our own digest is then our own write, or a twin of it, which is the same (design.md 1, idea 3).
import { digestOf } from "../../domain/canonical-json.ts";
import { TransientFault } from "../../domain/faults.ts";
import type { Event } from "../../domain/records/inbox.ts";
import type { CaseStore } from "../../stores/ports.ts";

export type RecordedOnce =
  | { kind: "created" }
  | { kind: "duplicate"; unfolded: boolean }
  /** The id is taken by an event with another body. */
  | { kind: "otherContent" }
  /** The store did not say; the delivery may be sent again. */
  | { kind: "notKnown" };

const createsMax = 3;

export async function createEventOnce(
  cases: Pick<CaseStore, "createEvent" | "readEvent">,
  event: Event,
): Promise<RecordedOnce> {
  try {
    return await create(cases, event);
  } catch (error) {
    if (error instanceof TransientFault) return { kind: "notKnown" };
    throw error;
  }
}

async function create(
  cases: Pick<CaseStore, "createEvent" | "readEvent">,
  event: Event,
): Promise<RecordedOnce> {
  for (let n = 1; n <= createsMax; n += 1) {
    const created = await cases.createEvent(event);
    switch (created) {
      case "created":
        return { kind: "created" };
      case "uncertain":
        continue;
      case "exists": {
        const stored = await cases.readEvent(event, event.id);
        // It exists and cannot be read yet: nothing is decided from that.
        if (stored === undefined) return { kind: "notKnown" };
        if (!isSame(stored, event)) return { kind: "otherContent" };
        if (n > 1 && stored.receivedAtMs === event.receivedAtMs) return { kind: "created" };
        return { kind: "duplicate", unfolded: stored.folded === undefined };
      }
    }
  }
  return { kind: "notKnown" };
}

/** A sender that writes its body anew each time (its keys in another order, a count of its tries) says the same. */
function isSame(stored: Event, event: Event): boolean {
  return stored.digest === event.digest || digestOf(stored.body) === digestOf(event.body);
}
