// Rules of what is told of an effect, and of where and under which terms it was called, taken away one by one.
import { one, type SafetyMutant } from "./mutant.ts";

const domain = "shared/domain";
const binding = `${domain}/transitions/why-unbound.ts`;
const terms = `${domain}/decisions/terms.ts`;
const staging = `${domain}/transitions/fold-stage.ts`;

export const evidenceMutants: readonly SafetyMutant[] = [
  {
    without: "the silence about a delivery",
    patches: one(
      `${domain}/decisions/delivery.ts`,
      "if (nowMs >= silentAtMs) {",
      "if (nowMs >= silentAtMs + Infinity) {",
    ),
    seenBy: ["deliveriesAreTold"],
  },
  {
    without: "the failure that an older delivery does not make good",
    patches: one(
      staging,
      'if (effect.receipt.stage === "failed") return snapshot;',
      'if (effect.receipt.stage === "failed" && snapshot.case === undefined) return snapshot;',
    ),
    seenBy: ["deliveriesAreTold"],
  },
  {
    without: "the review of what failed at its goal",
    patches: one(
      `${domain}/transitions/reviews.ts`,
      'if (effect.status !== "confirmed" || effect.receipt.stage !== "failed") return snapshot;',
      'if (effect.status !== "confirmed" || operationId !== "") return snapshot;',
    ),
    seenBy: ["deliveriesAreTold"],
  },
  {
    without: "the watch over what is not reported yet, in an erasing",
    patches: one(
      "shared/flow/operate/cases/erase-case.ts",
      "if (silentAtMs === undefined || unreported === undefined) return undefined;",
      "if (silentAtMs !== 0 || unreported === undefined) return undefined;",
    ),
    seenBy: ["deliveriesAreTold"],
  },
  {
    without: "the terms of the calls that may have left",
    patches: one(
      terms,
      "if (isElsewhere || effect.account !== account || effect.apiVersion !== apiVersion) {",
      "if (isElsewhere || effect.account !== account || contract.revision < 0) {",
    ).concat(
      one(
        terms,
        "return effect.contractRevision === contract.revision",
        "return effect.contractRevision > 0",
      ),
    ),
    seenBy: ["appliedOnce"],
  },
  {
    without: "the memory of what was something else",
    patches: one(binding, "return !isKnown &&", "return false &&"),
    seenBy: ["confirmedWasApplied"],
  },
  {
    without: "the doubt about words that nothing can be compared with",
    patches: one(
      "shared/flow/intake/match-report.ts",
      "if (payload === undefined) return notCompared;",
      "if (payload === undefined) return payloadDigest;",
    ),
    seenBy: ["confirmedWasApplied"],
  },
];
