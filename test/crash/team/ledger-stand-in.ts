// The general ledger's stand-in: it keeps its promise about keys, and posts whatever action names the entry.
import { z } from "zod";
import { keyedStandIn } from "../real/keyed-stand-in.ts";
import type { StandIn } from "../real/subject.ts";

const Asked = z.object({
  action: z.string(),
  operation: z.string(),
  account: z.string(),
  amount: z.string(),
});

export function startLedger(): Promise<StandIn> {
  return keyedStandIn((body, n) => {
    const { action, operation: operationId, ...payload } = Asked.parse(body);
    const providerId = `E-${n}`;
    return {
      done: { action, operationId, target: payload.account, payload, providerId },
      answer: { id: providerId, operation: operationId, ...payload },
    };
  });
}
