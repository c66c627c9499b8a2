// Asks the provider what became of an unknown effect, and folds what it finds. It changes nothing at the provider.
//
// The store's time is taken before the question: an absence counts only from when its look-up started.
import { callBudgetMs } from "../../domain/contract.ts";
import { fieldsOf } from "../../domain/fields-of.ts";
import { verdictWithoutEcho } from "../../domain/frozen-payload.ts";
import type { LookupRequest, Provider } from "../../domain/definitions.ts";
import { LookupVerdict } from "../../domain/records/evidence.ts";
import { caseOf, effectOf } from "../../domain/records/snapshot.ts";
import { boundedVerdict, storable } from "../../domain/storable.ts";
import { foldLookup } from "../../domain/transitions/look-up.ts";
import { readPayload } from "./read-payload.ts";
import { requireNowMs, turnFields } from "./turn.ts";
import type { Turn, TurnPorts, TurnResult } from "./turn.ts";
import { flush, handedOnBefore } from "./write-draft.ts";

export async function lookUp(
  ports: TurnPorts,
  turn: Turn,
  operationId: string,
): Promise<TurnResult | "again" | "goOn"> {
  // A look-up may be slow: what is known already is written first.
  if ((await flush(ports, turn)) !== "written") return "again";
  const effect = effectOf(turn.draft, operationId);
  const provider = ports.book.provider(effect.provider);
  if (provider?.lookup === undefined) throw new Error(`${effect.provider} cannot look up`);
  const tooLate = await handedOnBefore(ports, turn, callBudgetMs(provider.contract));
  if (tooLate !== undefined) return tooLate;
  const payload = await readPayload(ports, turn, operationId);
  if (payload === undefined) return "goOn";
  const startedAtMs = requireNowMs(ports, turn);
  const { target, payloadDigest, providerKey } = effect;
  const request: LookupRequest = {
    action: effect.action,
    account: effect.account,
    binding: { operationId, target, payloadDigest },
    ...(providerKey === undefined ? {} : { providerKey }),
    payload: structuredClone(payload),
    timeoutMs: provider.contract.callTimeoutMs,
  };
  const { fence } = caseOf(turn.draft);
  ports.telemetry.note({ provider: provider.name, action: effect.action, fence });
  const told = await askProvider(ports, turn, provider, request);
  ports.telemetry.note({ verdict: told.kind });
  const verdict = verdictWithoutEcho(effect, payload, told);
  turn.draft = foldLookup(
    turn.draft,
    { operationId, startedAtMs, verdict, by: ports.workerId },
    { book: ports.book, nowMs: requireNowMs(ports, turn) },
  );
  return "goOn";
}

async function askProvider(
  ports: TurnPorts,
  turn: Turn,
  provider: Provider,
  request: LookupRequest,
): Promise<LookupVerdict> {
  const unable = { kind: "inconclusive", reason: "it cannot look up" } as const;
  const { operationId } = request.binding;
  const fields = { ...turnFields(turn), operationId, provider: provider.name };
  try {
    const ask = async () => provider.lookup?.(request) ?? unable;
    const said: unknown = await ports.at("lookUp", ask);
    const { data, error } = LookupVerdict.safeParse(storable(said));
    if (data !== undefined) return boundedVerdict(data);
    const why = `the look-up's verdict is none, in: ${fieldsOf(error.issues)}`;
    ports.log.error("a look-up gave no verdict that can be kept", { ...fields, why });
    return { kind: "inconclusive", reason: why };
  } catch (error) {
    // An adapter must not throw. If one does, nothing was learned.
    ports.log.error("a look-up threw", fields);
    const name = error instanceof Error ? error.name : typeof error;
    return { kind: "inconclusive", reason: `the look-up threw ${name}` };
  }
}
