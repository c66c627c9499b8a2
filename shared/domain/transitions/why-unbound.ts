// Is a receipt bound to this operation? By operation id, target and payload, and by what its provider id stood for before. Pure.
//
// A provider id that once stood for something else never confirms this operation, however little a later receipt says.
// A receipt may repeat parts of a payload that is sensitive or erased here, so that nothing can be compared (`notCompared`):
//
//   no outcome yet             it proves nothing
//   confirmed by the same id   an earlier receipt was compared; nothing is left to compare
//   rejected, cancelled        it speaks against that: this may be the very thing that was done
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
