// How long a sensitive payload is kept, and what happens while it cannot be read. Pure.
//
// It is needed as long as its effect has no outcome, or a plan may still make a notification of it. The batch that ends this
// need sets a TTL on its document, so nobody has to remember to delete it.
// An effect whose payload cannot be read is held: nothing is claimed, and each turn looks again.
import { effectOf, withEffect, type Snapshot } from "../records/snapshot.ts";
import { hasEnded } from "../records/effect.ts";
import { openReview, resolveReview } from "./reviews.ts";
import type { Thawed } from "../frozen-payload.ts";

/** Ids of the payload documents that this batch leaves unneeded: needed before, or created by it. */
export function endedPayloads(before: Snapshot, after: Snapshot): string[] {
  const needed = new Set(neededPayloads(after));
  const candidates = new Set([...neededPayloads(before), ...after.payloads.map(({ id }) => id)]);
  return [...candidates].filter((id) => !needed.has(id));
}

function neededPayloads(snapshot: Snapshot): string[] {
  const open = snapshot.effects.filter((effect) => !hasEnded(effect));
  const planned = snapshot.case?.plan?.notifications ?? [];
  return [...open, ...planned].flatMap(({ payloadRef }) => payloadRef ?? []);
}

export function holdForPayload(
  snapshot: Snapshot,
  operationId: string,
  { nowMs, review, why }: Omit<Thawed & { kind: "withheld" }, "kind"> & { nowMs: number },
): Snapshot {
  const effect = effectOf(snapshot, operationId);
  if (effect.payloadHold !== undefined) return snapshot;
  const [opened, payloadHold] = openReview(snapshot, {
    subject: operationId,
    kind: review,
    why: `${effect.action}: ${why}`,
    consequence: "Nothing is sent or looked up until its own payload can be read; then it goes on.",
    nowMs,
  });
  return withEffect(opened, { ...effect, payloadHold });
}

/** For a payload that can be read again and is what was frozen. */
export function liftPayloadHold(snapshot: Snapshot, operationId: string, nowMs: number): Snapshot {
  const effect = effectOf(snapshot, operationId);
  if (effect.payloadHold === undefined) return snapshot;
  const { payloadHold, ...free } = effect;
  const resolution = { how: "its payload can be read again", by: "machine", atMs: nowMs };
  return withEffect(resolveReview(snapshot, payloadHold, resolution), free);
}
