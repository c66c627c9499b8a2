// An adapter beside which wrong ones are tried (wrong-ledger.ts); the one to copy is test/workflows/refund-request.
//
// The general ledger promises this: an entry under an `idempotency-key` is posted once while the key is kept (a day); its
// answer names operation, account and amount.
import { z } from "zod";
import type { Contract } from "../../../shared/domain/contract.ts";
import { digestOf } from "../../../shared/domain/canonical-json.ts";
import {
  defineAction,
  type Provider,
  type SendRequest,
} from "../../../shared/domain/definitions.ts";
import type { Receipt } from "../../../shared/domain/records/evidence.ts";
import { answerOf, provesNothing, usualAnswers } from "../../../shared/providers/answer-of.ts";
import { httpPoster } from "../../../shared/providers/http-call.ts";
import type { Subject } from "../real/subject.ts";
import { startLedger } from "./ledger-stand-in.ts";

export const Entry = z.strictObject({ account: z.string(), amount: z.string() });
const Posted = Entry.extend({ id: z.string(), operation: z.string() });

export const postEntry = defineAction({
  name: "ledger.post_entry.v1",
  payload: Entry,
  provider: "ledger",
  consequence: "Posted twice, the books are wrong by the amount.",
});

export const ledgerContract: Contract = {
  revision: 1,
  idempotency: {
    keyHeader: "idempotency-key",
    keyAlphabet: "A-Za-z0-9-",
    keyLengthMax: 64,
    retentionMs: 24 * 3_600_000,
    marginMs: 15 * 60_000,
    storesErrors: false,
  },
  answers: usualAnswers,
  horizonMs: 10_000,
  callTimeoutMs: 10_000,
  consequence: "A repeated call under another key is a second entry.",
};

export function ledger(options: {
  baseUrl: string;
  keyOf?(request: SendRequest): string;
}): Provider {
  const { baseUrl, keyOf = ({ providerKey = "" }) => providerKey } = options;
  const poster = httpPoster({ provider: "ledger", baseUrl, token: "ledger-token" });
  return {
    name: "ledger",
    apiVersion: "v1",
    contract: ledgerContract,
    accountOf: (tenantId) => tenantId,
    async send(request) {
      const { binding, payload, timeoutMs } = request;
      const heard = await poster.post({
        path: ["entries"],
        headers: { "idempotency-key": keyOf(request) },
        body: { ...payload, action: request.action, operation: binding.operationId },
        timeoutMs,
      });
      return answerOf(heard, ledgerContract, (answered) => {
        const posted = Posted.safeParse(answered.body).data;
        return posted === undefined
          ? provesNothing(answered, `${answered.status} without an entry that names its operation`)
          : { kind: "receipt", receipt: receiptOf(posted) };
      });
    },
  };
}

function receiptOf({ id, operation, ...entry }: z.infer<typeof Posted>): Receipt {
  return {
    stage: "delivered",
    providerId: id,
    boundTo: { operationId: operation, target: entry.account, payloadDigest: digestOf(entry) },
    content: { id },
  };
}

export const entryOf: Subject["example"] = (tag) => {
  const account = `4711-${tag}`;
  return { target: account, payload: { account, amount: "12.50" } };
};

export const subjects: readonly Subject[] = [
  {
    action: postEntry,
    provider: (baseUrl) => ledger({ baseUrl }),
    example: entryOf,
    startStandIn: startLedger,
  },
];
