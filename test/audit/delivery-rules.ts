// Accepted is not delivered: what became of what a system took, where it promises to tell.
import type { Review } from "../../shared/domain/records/review.ts";
import { digestFor } from "./history.ts";
import { judged, type Judged } from "./judged.ts";
import type { CaseTestimony, Testimony } from "./testimony.ts";

/** What a system told of where its deliveries went is in the record, the worst of it last; silence and failure come to a person. */
export function deliveriesAreTold(testimony: Testimony): Judged {
  const { applied, cases, contracts, reports, settled } = testimony;
  const promised = cases.flatMap((one) =>
    (one.final?.snapshot.effects ?? []).flatMap((effect) =>
      effect.status === "confirmed" && contracts[effect.provider]?.deliverySilenceMs !== undefined
        ? [{ effect, one }]
        : [],
    ),
  );
  return judged(settled ? promised : [], ({ effect, one }) => {
    const { operationId, receipt } = effect;
    const entry = applied.find(({ providerId }) => providerId === receipt.providerId);
    // A person's word: what the system tells of it is of something else.
    if (entry === undefined || digestFor(effect, entry.payload) !== effect.payloadDigest)
      return undefined;
    const told = reports
      .filter(({ providerId }) => providerId === receipt.providerId)
      .map(({ stage }) => stage);
    const worst = (["failed", "delivered"] as const).find((stage) => told.includes(stage));
    if (receipt.stage !== (worst ?? "accepted"))
      return `${operationId} is ${receipt.stage}, and its system told: ${told.join(", ")}`;
    const review = { failed: "NotificationFailed", accepted: "DeliverySilent" } as const;
    if (receipt.stage === "delivered") return undefined;
    // Nobody looks at a parked case again before a person has released it.
    const isParked = one.final?.snapshot.case?.held?.reason === "Poison";
    if (receipt.stage === "accepted" && isParked) return undefined;
    return wasReviewed(one, operationId, review[receipt.stage])
      ? undefined
      : `${operationId} is ${receipt.stage}, and nobody was shown that`;
  });
}

function wasReviewed({ landed }: CaseTestimony, operationId: string, kind: Review["kind"]) {
  return landed.some(({ batch }) =>
    batch.creates.some(
      (document) =>
        document.type === "review" && document.kind === kind && document.subject === operationId,
    ),
  );
}
