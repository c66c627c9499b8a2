// Whether a receipt is of this operation: by its id, its target and its payload, and by what its provider told of it before. Pure.
//
// What was told to be something else does not become this operation's by being told with fewer words. Words that could not be
// compared prove nothing; but of that which a receipt has proved already, perhaps since they came, there is nothing left to
// compare, and what was denied they speak against: it may be just this that was done.
import type { Effect } from "../records/effect.ts";
import { notCompared, type Receipt } from "../records/evidence.ts";
import type { Snapshot } from "../records/snapshot.ts";
import { isForeign } from "./reviews.ts";

/** Why a receipt says nothing of this operation; undefined when it does. */
export function whyUnbound(
  snapshot: Snapshot,
  effect: Effect,
  receipt: Receipt,
): string | undefined {
  const { boundTo, providerId } = receipt;
  const { operationId, payloadDigest, target } = effect;
  if (boundTo.operationId !== operationId) return `${providerId} names another operation`;
  if (boundTo.target !== target) return `${providerId} names another target`;
  const isKnown = effect.status === "confirmed" && effect.receipt.providerId === providerId;
  const isDenied = effect.status === "rejected" || effect.status === "cancelled";
  if (boundTo.payloadDigest === notCompared) {
    if (!isKnown && !isDenied)
      return `${providerId} repeats words that nothing here can be compared with`;
  } else if (boundTo.payloadDigest !== payloadDigest) return `${providerId} names another payload`;
  return !isKnown && isForeign(snapshot, effect, providerId)
    ? `${providerId} was told to be something else before`
    : undefined;
}
