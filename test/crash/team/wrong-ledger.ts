// Adapters as they are written by mistake, beside the right one; the campaign must catch each by name.
//
//   fresh key      a new key for each attempt: the provider cannot know that it is the same operation
//   time-out       silence is told as "not applied": the machine sends again what has happened
import { randomUUID } from "node:crypto";
import type { Provider } from "../../../shared/domain/definitions.ts";
import type { Subject } from "../real/subject.ts";
import { entryOf, ledger, ledgerContract, postEntry, subjects as right } from "./ledger.ts";
import { startLedger } from "./ledger-stand-in.ts";

function freshKey(baseUrl: string): Provider {
  return { ...ledger({ baseUrl, keyOf: () => randomUUID() }), name: "ledger-fresh-key" };
}

function silenceIsNo(baseUrl: string): Provider {
  const right = ledger({ baseUrl, keyOf: () => "" });
  const { idempotency: _none, ...contract } = ledgerContract;
  return {
    ...right,
    name: "ledger-silence-is-no",
    contract,
    async send(request) {
      const answer = await right.send(request);
      return answer.kind === "noAnswer" ? { kind: "notApplied", reason: answer.reason } : answer;
    },
  };
}

export const subjects: readonly Subject[] = [
  ...right,
  {
    action: { ...postEntry, name: "ledger.fresh_key.v1", provider: "ledger-fresh-key" },
    provider: freshKey,
    example: entryOf,
    startStandIn: startLedger,
  },
  {
    action: { ...postEntry, name: "ledger.silence_is_no.v1", provider: "ledger-silence-is-no" },
    provider: silenceIsNo,
    example: entryOf,
    startStandIn: startLedger,
  },
];
