// The rules decider: what a careful clerk would propose, the whole variance or nothing. Pure.
import { approve, assess, claimBack } from "./assess.ts";
import type { InvoiceDecision, InvoiceView } from "./facts.ts";

export function decideByRules(view: InvoiceView): InvoiceDecision {
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
