// Reads the payload of one effect: the only place where a sensitive one is decrypted, and only for a call or a look-up.
//
// Asked before the claim: what cannot be read costs no attempt. It never changes once it is frozen, so nothing can come
// between this look and the call. What cannot be read is held under a review, and looked at again by each later turn.
import { thawPayload, unavailable } from "../../domain/frozen-payload.ts";
import { TerminalFault } from "../../domain/faults.ts";
import type { Effect } from "../../domain/records/effect.ts";
import type { Payload } from "../../domain/records/payload.ts";
import { effectOf } from "../../domain/records/snapshot.ts";
import { holdForPayload, liftPayloadHold } from "../../domain/transitions/payload-life.ts";
import { requireNowMs, turnFields, type Turn, type TurnPorts } from "./turn.ts";

/** Undefined: it is held, and the turn goes on without it. */
export async function readPayload(
  ports: TurnPorts,
  turn: Turn,
  operationId: string,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const effect = effectOf(turn.draft, operationId);
  const stored = await storedPayload(ports, turn, effect);
  const thawed =
    stored === "unreadable"
      ? unavailable("its document cannot be read")
      : thawPayload(effect, stored, ports.book.payloadKeys);
  const nowMs = requireNowMs(ports, turn);
  if (thawed.kind === "payload") {
    turn.draft = liftPayloadHold(turn.draft, operationId, nowMs);
    return thawed.payload;
  }
  ports.log.error("a payload is withheld", {
    ...turnFields(turn),
    operationId,
    review: thawed.review,
    why: thawed.why,
  });
  turn.withheld.add(operationId);
  turn.draft = holdForPayload(turn.draft, operationId, { ...thawed, nowMs });
  return undefined;
}

/** Undefined: there is none, or none apart. A store that does not answer is the turn's trouble, not the payload's. */
async function storedPayload(
  ports: TurnPorts,
  turn: Turn,
  { payloadRef }: Effect,
): Promise<Payload | "unreadable" | undefined> {
  if (payloadRef === undefined) return undefined;
  // Decided in this very turn.
  const own = [...turn.draft.payloads, ...turn.sealed].find(({ id }) => id === payloadRef);
  if (own !== undefined) return own;
  try {
    return await ports.at("readPayload", () => ports.cases.readPayload(turn.key, payloadRef));
  } catch (error) {
    if (error instanceof TerminalFault) return "unreadable";
    throw error;
  }
}
