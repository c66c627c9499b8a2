// The rules decider: what a careful clerk would propose, the whole variance or nothing. Pure.
import type { DecideView, Decision } from "../../domain/definitions.ts";
import { approve, assess, claimBack } from "./assess.ts";

export function decideByRules(view: DecideView): Decision {
  const assessed = assess(view);
  switch (assessed.kind) {
    case "settled":
      return assessed.decision;
    case "approve":
      return approve(assessed);
    case "claim":
      return claimBack(assessed.facts, { amountCents: assessed.varianceCents });
  }
}
