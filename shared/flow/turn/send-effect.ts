// The send gate and the one call, after the claim is certain and just before the socket write (design.md 4).
//
// An ETag proves that nothing changed, not that no time passed, and a snapshot proves nothing about what arrived since. So the
// gate looks at everything again:
//
//   the store's clock    the deadline of the claim has not passed, even if this machine slept
//   the case             its ETag is still as our claim wrote it, and nothing unfolded bears on this effect
//   the grant            read now, it still covers the effect
//   the approvals        of the plan still hold
//   the contract         its key, or an absence, still covers the send (not asked of a retry that two people forced)
//   the timer            started before the claim was written; half of the call's time must be left
//
// If anything is missing nothing leaves, and the attempt ends as not sent. What stays possible is a freeze of the machine between
// the last look and the socket write. Only a provider's own key cures that, and the contract says whether there is one.
import { sendScopeOf } from "../../domain/decisions/terms.ts";
import { approvalState } from "../../domain/decisions/approvals.ts";
import { absenceCovers, whyKeyLapsed } from "../../domain/decisions/send-cover.ts";
import { caseKeyText } from "../../domain/identity.ts";
import { withoutEcho } from "../../domain/frozen-payload.ts";
import type { Provider, SendRequest } from "../../domain/definitions.ts";
import { deadlineMsOf, lastAttempt, type Effect } from "../../domain/records/effect.ts";
import { fieldsOf } from "../../domain/fields-of.ts";
import { boundedAnswer, storable } from "../../domain/storable.ts";
import { Answer } from "../../domain/records/evidence.ts";
import { covers } from "../../domain/records/grant.ts";
import { caseOf, effectOf } from "../../domain/records/snapshot.ts";
import { nowMsOf, setStoreTime, turnFields, type Turn, type TurnPorts } from "./turn.ts";

const timeRanOut = "the claim's time ran out";

export interface Claimed {
  operationId: string;
  provider: Provider;
  /** As it was frozen. */
  payload: Readonly<Record<string, unknown>>;
  /** The monotonic clock as it stood before the claim was sent to the store. */
  timerStartedMs: number;
}

export async function sendEffect(ports: TurnPorts, turn: Turn, claimed: Claimed): Promise<Answer> {
  const { operationId, payload, provider } = claimed;
  const effect = effectOf(turn.draft, operationId);
  const gate = await whyGateIsClosed(ports, turn, { claimed, effect });
  const timeoutMs = leftMs(ports, claimed);
  // The last look: there is no await between it and the call.
  const closed = gate ?? (timeoutMs < sendMsMin(provider) ? timeRanOut : undefined);
  if (closed !== undefined) {
    ports.log.warn("the send gate was closed", {
      ...turnFields(turn),
      operationId,
      reason: closed,
    });
    ports.telemetry.mark("gate closed", { reason: closed });
    return { kind: "notSent", reason: closed };
  }
  // From here on a byte may leave: "not sent" is no longer true of this attempt.
  turn.evidence = undefined;
  const answer = await call(ports, turn, { effect, provider, payload, timeoutMs });
  return withoutEcho(effect, payload, answer);
}

/** What is left of the call's time, by the timer that was started before the claim was written. */
function leftMs(ports: TurnPorts, claimed: Claimed): number {
  const elapsedMs = ports.monotonicMs() - claimed.timerStartedMs;
  return Math.floor(claimed.provider.contract.callTimeoutMs - elapsedMs);
}

/** With less time than this a call would mostly end as unknown; then it is better not to send. */
function sendMsMin(provider: Provider): number {
  return provider.contract.callTimeoutMs / 2;
}

async function whyGateIsClosed(
  ports: TurnPorts,
  turn: Turn,
  { claimed, effect }: { claimed: Claimed; effect: Effect },
): Promise<string | undefined> {
  const { provider } = claimed;
  const [head, grant] = await ports.at("gate", () =>
    Promise.all([
      ports.cases.head(turn.key),
      ports.grants.read(effect.tenantId, effect.grantRef ?? ""),
    ]),
  );
  setStoreTime(ports, turn, head.storeMs);
  const nowMs = nowMsOf(ports, turn);
  if (head.storeMs === undefined || nowMs === undefined) return "the store told no time";
  // While a machine sleeps its own timer stands still; the store's clock does not.
  const claimedAtMs = lastAttempt(effect)?.claimedAtMs ?? nowMs;
  if (nowMs >= deadlineMsOf(claimedAtMs, provider.contract.callTimeoutMs)) return timeRanOut;
  if (head.caseEtag !== turn.caseEtag) return "the case was written after the claim";
  if (head.unfolded.some((id) => bearsOn(effect, id))) return "something new has arrived";
  const subject = caseOf(turn.draft).workflow.type;
  if (
    grant === undefined ||
    !covers(grant, { ...effect, subject, payload: claimed.payload }, nowMs)
  ) {
    return "the grant no longer covers it";
  }
  const { plan } = caseOf(turn.draft);
  const isPlanned = effect.origin === "plan" && plan !== undefined;
  if (isPlanned && approvalState(turn.draft, plan, nowMs).kind !== "given") {
    return "an approval no longer holds";
  }
  return whyNotCovered(effect, provider, nowMs);
}

function whyNotCovered(effect: Effect, provider: Provider, nowMs: number): string | undefined {
  // Two people have ordered this attempt against the contract; everything else must still hold.
  if (lastAttempt(effect)?.order?.forced === true) return undefined;
  const scope = sendScopeOf(effect, provider, nowMs);
  const lapsed = whyKeyLapsed(scope);
  if (lapsed !== undefined && !absenceCovers(scope)) return lapsed;
  return undefined;
}

/** Anything new may change what a plan effect rests on. A notification tells of what has happened: only its own findings do. */
function bearsOn({ operationId, origin }: Effect, unfoldedId: string): boolean {
  return origin === "plan" || unfoldedId.startsWith(`finding:${operationId}:`);
}

async function call(
  ports: TurnPorts,
  turn: Turn,
  {
    effect,
    payload,
    provider,
    timeoutMs,
  }: { effect: Effect; provider: Provider } & Pick<SendRequest, "payload" | "timeoutMs">,
): Promise<Answer> {
  const { operationId, target, payloadDigest, providerKey } = effect;
  const fields = { ...turnFields(turn), operationId, provider: provider.name };
  try {
    const said: unknown = await ports.at("send", () =>
      provider.send({
        action: effect.action,
        account: effect.account,
        binding: { operationId, target, payloadDigest },
        ...(providerKey === undefined ? {} : { providerKey }),
        // A copy: an adapter may change it in place, and the record must keep the bytes that its digest was made of.
        payload: structuredClone(payload),
        caseKey: caseKeyText(turn.key),
        fence: caseOf(turn.draft).fence,
        timeoutMs,
      }),
    );
    const { data, error } = Answer.safeParse(storable(said));
    if (data !== undefined) return boundedAnswer(data);
    // An answer that cannot be stored must not be written: the case could never be read again.
    const why = `the adapter's answer is none, in: ${fieldsOf(error.issues)}`;
    ports.log.error("a provider adapter gave no answer that can be kept", { ...fields, why });
    return { kind: "noAnswer", reason: why };
  } catch (error) {
    // An adapter must not throw. If one does, its request may have left: that is no failure, but no answer.
    ports.log.error("a provider adapter threw", fields);
    const name = error instanceof Error ? error.name : typeof error;
    return { kind: "noAnswer", reason: `the adapter threw ${name}` };
  }
}
