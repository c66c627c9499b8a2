// Sensitive payloads: apart from the ledger, in clear nowhere, kept as long as they are needed and no longer.
import { hasEnded, type Effect } from "../../shared/domain/records/effect.ts";
import { caseIn, effectsIn } from "./history.ts";
import { judged, type Judged } from "./judged.ts";
import type { CaseTestimony, Landed, Testimony } from "./testimony.ts";

/** Nothing that the store ever took in says what only the addressee may read. */
export function sealedApart({ cases, sealedNote }: Testimony): Judged {
  const batches = cases.flatMap(({ landed }) => landed);
  return judged(batches, ({ batch }) =>
    JSON.stringify(batch).includes(sealedNote)
      ? `${batch.log.id} holds a sensitive payload in clear`
      : undefined,
  );
}

/** A payload ends after the batch that gave its effect an outcome, or ended its plan; never before, and then for certain. */
export function payloadsKept({ cases, lastingPayloads }: Testimony): Judged {
  const payloads = cases.flatMap((one) => payloadsOf(one).map((made) => ({ ...made, one })));
  return judged(payloads, ({ endedAt, id, one, sealedAt }) => {
    // What a person gave up needs it no more once the erasing of its case has begun, whether or not it came to its end.
    const isErased =
      one.final?.snapshot.case?.erased !== undefined ||
      endedAt?.batch.log.did.includes("content erased") === true;
    const wasNeeded = endedAt !== undefined && isNeeded(one, id, endedAt);
    if (wasNeeded && !isErased) return `${id} was to end while it was needed`;
    const last = one.landed.at(-1) ?? sealedAt;
    const lasts = lastingPayloads?.has(id);
    if (lasts === undefined || lasts === (isNeeded(one, id, last) && !isErased)) return undefined;
    return lasts ? `${id} outlives what it was for` : `${id} is gone, and is still needed`;
  });
}

function payloadsOf({ landed }: CaseTestimony) {
  return landed.flatMap((sealedAt) =>
    sealedAt.batch.creates
      .filter(({ type }) => type === "payload")
      .map(({ id }) => ({
        id,
        sealedAt,
        endedAt: landed.find(({ batch }) => batch.amends.some((amend) => amend.id === id)),
      })),
  );
}

/** Its effect has no outcome yet, or the plan may still make an effect of it. */
function isNeeded({ landed }: CaseTestimony, id: string, upTo: Landed): boolean {
  let effect: Effect | undefined;
  for (const one of landed) {
    effect = effectsIn(one).find(({ payloadRef }) => payloadRef === id) ?? effect;
    if (one === upTo) break;
  }
  if (effect !== undefined) return !hasEnded(effect);
  const notifications = caseIn(upTo).plan?.notifications ?? [];
  return notifications.some(({ payloadRef }) => payloadRef === id);
}
