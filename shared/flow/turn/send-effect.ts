// The send gate and the one call (design.md 4). After the claim is certain, and just before the socket write.
//
// An ETag proves that nothing changed, not that no time passed, and a snapshot proves nothing of what arrived since.
// So the gate looks again at all of it: the case as our claim wrote it, nothing unfolded for a plan effect, the
// grant read now, the key's retention, and the timer that was started before the claim was written.
// Anything missing: nothing leaves, and the attempt ends as not sent.
//
// What stays possible is a freeze of the machine between the gate's last look and the socket. Only a provider's own
// key cures that, and the contract says whether there is one.
import { accountAt } from "../../domain/decisions/terms.ts";
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
  const gate = await whyGateIsClosed(ports, turn, { claimed, effect, provider });
  const timeoutMs = leftMs(ports, claimed, provider);
  // The last look, with no await between it and the call.
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
  // From here on a byte may leave: of this attempt only what the call hears is told.
  turn.evidence = undefined;
  const answer = await call(ports, turn, { effect, provider, payload, timeoutMs });
  return withoutEcho(effect, payload, answer);
}

function leftMs(ports: TurnPorts, claimed: Claimed, provider: Provider): number {
  const elapsedMs = ports.monotonicMs() - claimed.timerStartedMs;
  return Math.floor(provider.contract.callTimeoutMs - elapsedMs);
}

/** With less than this left a call would mostly end as unknown; better not to send. */
function sendMsMin(provider: Provider): number {
  return provider.contract.callTimeoutMs / 2;
}

interface GateFacts {
  claimed: Claimed;
  effect: Effect;
  provider: Provider;
}

async function whyGateIsClosed(
  ports: TurnPorts,
  turn: Turn,
  { claimed, effect, provider }: GateFacts,
): Promise<string | undefined> {
  const [head, grant] = await ports.at("gate", () =>
    Promise.all([
      ports.cases.head(turn.key),
      ports.grants.read(effect.tenantId, effect.grantRef ?? ""),
    ]),
  );
  setStoreTime(ports, turn, head.storeMs);
  const nowMs = nowMsOf(ports, turn);
  if (head.storeMs === undefined || nowMs === undefined) return "the store told no time";
  // A machine that slept did not count it: its timer stood still with it.
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
  const { contract, apiVersion } = provider;
  // Two people have ordered this attempt against the contract; everything else still holds.
  const isForced = lastAttempt(effect)?.order?.forced === true;
  if (!isForced) {
    const account = accountAt(provider, effect.tenantId);
    const scope = { effect, contract, account, apiVersion, nowMs };
    const lapsed = whyKeyLapsed(scope);
    if (lapsed !== undefined && !absenceCovers(scope)) return lapsed;
  }
  return undefined;
}

/** A notification tells of what has happened, whatever else arrives; what was learned of itself may end it. */
function bearsOn({ operationId, origin }: Effect, unfoldedId: string): boolean {
  return origin === "plan" || unfoldedId.startsWith(`finding:${operationId}:`);
}

type Sending = Pick<SendRequest, "payload" | "timeoutMs">;

async function call(
  ports: TurnPorts,
  turn: Turn,
  { effect, payload, provider, timeoutMs }: Omit<GateFacts, "claimed"> & Sending,
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
        // A copy: an adapter may work on it in place, and the record keeps what its digest was made of.
        payload: structuredClone(payload),
        caseKey: caseKeyText(turn.key),
        fence: caseOf(turn.draft).fence,
        timeoutMs,
      }),
    );
    const { data, error } = Answer.safeParse(storable(said));
    if (data !== undefined) return boundedAnswer(data);
    // Nor may it answer what cannot be kept: the case could never be read again.
    const why = `the adapter's answer is none, in: ${fieldsOf(error.issues)}`;
    ports.log.error("a provider adapter gave no answer that can be kept", { ...fields, why });
    return { kind: "noAnswer", reason: why };
  } catch (error) {
    // An adapter must not throw. If one does, its request may have left: that is not a failure, it is no answer.
    ports.log.error("a provider adapter threw", fields);
    const name = error instanceof Error ? error.name : typeof error;
    return { kind: "noAnswer", reason: `the adapter threw ${name}` };
  }
}
