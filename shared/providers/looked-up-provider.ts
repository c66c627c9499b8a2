// The frame of a provider without a key: one action, posted in the account of the tenant, and a look-up that tells afterwards
// whether it was done. What each of them promises stands in its own file.
import type { z } from "zod";
import type { Contract } from "../domain/contract.ts";
import type { LookupRequest, Provider } from "../domain/definitions.ts";
import type { LookupVerdict, Receipt } from "../domain/records/evidence.ts";
import { answerOf, provesNothing } from "./answer-of.ts";
import { httpPoster, httpReader } from "./http-call.ts";
import type { Answered } from "./http-answer.ts";
import type { HttpReader } from "./http-call.ts";
import { versionAt } from "./http-url.ts";

export interface LookedUpProvider<Payload, Done> {
  name: string;
  contract: Contract;
  connection: { baseUrl: string; token: string };
  action: string;
  payload: z.ZodType<Payload>;
  /** Below the tenant's account. */
  call(payload: Payload, operationId: string): { path: string[]; body: Record<string, unknown> };
  /** The body of a success, and in words what it must have. */
  done: z.ZodType<Done>;
  proof: string;
  /** Bound to what the provider says it did, never to what was asked for. */
  receiptOf(request: LookupRequest, done: Done, answered: Answered): Receipt;
  lookUp(reader: HttpReader, request: LookupRequest): Promise<LookupVerdict>;
}

export function lookedUpProvider<Payload, Done>(spec: LookedUpProvider<Payload, Done>): Provider {
  const { action, connection, contract, name, proof } = spec;
  const poster = httpPoster({ provider: name, ...connection });
  const reader = httpReader({ provider: name, ...connection });
  return {
    name,
    apiVersion: versionAt("v1", connection.baseUrl),
    contract,
    accountOf: (tenantId) => tenantId,
    async send(request) {
      const payload = spec.payload.safeParse(request.payload).data;
      if (request.action !== action || payload === undefined) {
        return { kind: "notSent", reason: `this is no payload of ${action}` };
      }
      const { body, path } = spec.call(payload, request.binding.operationId);
      const heard = await poster.post({
        path: ["v1", "accounts", request.account, ...path],
        body,
        timeoutMs: request.timeoutMs,
      });
      return answerOf(heard, contract, (answered) => {
        const done = spec.done.safeParse(answered.body).data;
        return done === undefined
          ? provesNothing(answered, `${answered.status} without ${proof}`)
          : { kind: "receipt", receipt: spec.receiptOf(request, done, answered) };
      });
    },
    lookup: (request) => spec.lookUp(reader, request),
  };
}
