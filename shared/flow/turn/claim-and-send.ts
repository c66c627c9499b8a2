// Claim, gate, call, settle: the only path on which a byte leaves for a provider (design.md 4).
//
// First whatever would stop the call: the turn's time, the payload, a grant, the provider's pacing. Then the claim is written, and
// only when it stands for certain do the gate and the call follow, under a timer that was started before that write. From then
// on what the provider answers is evidence.
import { callBudgetMs } from "../../domain/contract.ts";
import type { Provider } from "../../domain/definitions.ts";
import { hintIdOf } from "../../domain/identity.ts";
import type { Answer } from "../../domain/records/evidence.ts";
import { covers, type Grant } from "../../domain/records/grant.ts";
import { caseOf, effectOf } from "../../domain/records/snapshot.ts";
import { settleAttempt } from "../../domain/transitions/attempt.ts";
import { claim, holdForGrant } from "../../domain/transitions/claim.ts";
import { readPayload } from "./read-payload.ts";
import { sendEffect } from "./send-effect.ts";
import { requireNowMs, setStoreTime, type Turn, type TurnPorts, type TurnResult } from "./turn.ts";
import { flush, handedOnBefore, writeAndReadAgain } from "./write-draft.ts";

export async function claimAndSend(
  ports: TurnPorts,
  turn: Turn,
  operationId: string,
): Promise<TurnResult | "again" | "goOn"> {
  const effect = effectOf(turn.draft, operationId);
  const provider = ports.book.provider(effect.provider);
  if (provider === undefined) throw new Error(`${effect.provider} is claimed, and not registered`);
  ports.telemetry.note({ provider: effect.provider, action: effect.action });
  const tooLate = await handedOnBefore(ports, turn, callBudgetMs(provider.contract));
  if (tooLate !== undefined) return tooLate;
  const payload = await readPayload(ports, turn, operationId);
  if (payload === undefined) return "goOn";
  const grantRef = await findGrant(ports, turn, operationId, payload);
  if (grantRef === undefined) {
    turn.withheld.add(operationId);
    turn.draft = holdForGrant(turn.draft, operationId, requireNowMs(ports, turn));
    return "goOn";
  }
  const admission = ports.pacing?.admit(provider.name);
  if (admission?.kind === "later") {
    return putOff(ports, turn, { provider: provider.name, inMs: admission.inMs });
  }
  let heard: Answer | undefined;
  try {
    const call = {
      operationId,
      provider,
      grantRef,
      payload,
      hear: (answer: Answer) => (heard = answer),
    };
    return await claimed(ports, turn, call);
  } finally {
    admission?.done(heard);
  }
}

/** The provider is silent or busy: this turn claims nothing for it before then, and goes on with everything else. */
async function putOff(
  ports: TurnPorts,
  turn: Turn,
  { provider, inMs }: { provider: string; inMs: number },
): Promise<"goOn"> {
  const untilMs = requireNowMs(ports, turn) + inMs;
  turn.paced.set(provider, untilMs);
  const hintId = hintIdOf(turn.key, "paced", crypto.randomUUID());
  const hint = { ...turn.key, hintId, reason: "the provider is silent or busy" };
  await ports.at("handOn", () => ports.hints.schedule("cases", hint, untilMs));
  return "goOn";
}

interface Call {
  operationId: string;
  provider: Provider;
  grantRef: string;
  payload: Readonly<Record<string, unknown>>;
  hear(answer: Answer): void;
}

async function claimed(
  ports: TurnPorts,
  turn: Turn,
  { operationId, provider, grantRef, payload, hear }: Call,
): Promise<TurnResult | "again" | "goOn"> {
  const timerStartedMs = ports.monotonicMs();
  const nowMs = requireNowMs(ports, turn);
  turn.draft = claim(turn.draft, operationId, { provider, grantRef, nowMs });
  const attempt = effectOf(turn.draft, operationId).attempts.length;
  ports.telemetry.note({ attempt, fence: caseOf(turn.draft).fence });
  // Nothing is sent while its claim is uncertain: the batch must stand, with no write of anybody else after it.
  const flushed = await flush(ports, turn);
  if (flushed === "superseded") return "again";
  // The claim stands. If anything stops this worker before the call itself, the attempt can be told as not sent.
  const reason =
    flushed === "overtaken" ? "the case was written after the claim" : "its gate could not be read";
  turn.evidence = { operationId, attempt, answer: { kind: "notSent", reason } };
  if (flushed === "overtaken") return "again";
  const deadlineMs = requireNowMs(ports, turn) + 2000 + provider.contract.callTimeoutMs;
  const answer = await sendEffect(ports, turn, { operationId, provider, payload, timerStartedMs });
  // A gate that was closed has asked the provider nothing.
  if (turn.evidence === undefined) hear(answer);
  turn.evidence = { operationId, attempt, answer };
  if (answer.kind === "noAnswer") {
    // The call may still be applied, and its horizon counts from now. If this machine slept only the store knows the time.
    const { storeMs } = await ports.at("timeAfterCall", () => ports.cases.head(turn.key));
    setStoreTime(ports, turn, storeMs);
  }
  const endedAtMs = requireNowMs(ports, turn);
  turn.draft = settleAttempt(turn.draft, {
    ...turn.evidence,
    settledBy: "attempt",
    book: ports.book,
    nowMs: endedAtMs,
    // After a freeze behind the gate the last byte may leave later than the claim allowed; the horizon counts from then.
    deadlineMs: Math.max(deadlineMs, endedAtMs + 1000),
  });
  const { status } = effectOf(turn.draft, operationId);
  ports.telemetry.mark("settle", { attempt, answer: answer.kind, status });
  return answer.kind === "notSent" ? writeAndReadAgain(ports, turn) : "goOn";
}

/** The id of the first grant that covers the effect; undefined when none does. Code finds it, never a model. */
async function findGrant(
  ports: TurnPorts,
  turn: Turn,
  operationId: string,
  payload: Call["payload"],
): Promise<string | undefined> {
  const effect = effectOf(turn.draft, operationId);
  const subject = caseOf(turn.draft).workflow.type;
  const { tenantId, action } = effect;
  const covering = (grants: readonly Grant[]) => {
    const nowMs = requireNowMs(ports, turn);
    return grants.find((grant) => covers(grant, { ...effect, subject, payload }, nowMs))?.id;
  };
  const known = turn.grantsRead.get(action);
  if (known !== undefined) return covering(known);
  // A cached list may be a few seconds old and miss what was just granted, so the second look is fresh.
  for (const fresh of [false, true]) {
    const grants = await ports.at("grants", () =>
      ports.grants.candidates({ tenantId, subject, action, fresh }),
    );
    const found = covering(grants);
    if (found !== undefined) return found;
    if (fresh) turn.grantsRead.set(action, grants);
  }
  return undefined;
}
