// Reads the payload of one effect for a call or a look-up; the only place of a turn where a sensitive one is decrypted.
//
// It is read before the claim, so one that cannot be read costs no attempt: the effect is held under a review, and each later turn
// looks again. A frozen payload never changes, so this read is still true when the call is made.
import { thawPayload, unavailable } from "../../domain/frozen-payload.ts";
import { TerminalFault } from "../../domain/faults.ts";
import type { Effect } from "../../domain/records/effect.ts";
import type { Payload } from "../../domain/records/payload.ts";
import { effectOf } from "../../domain/records/snapshot.ts";
import { holdForPayload, liftPayloadHold } from "../../domain/transitions/payload-life.ts";
import { requireNowMs, turnFields, type Turn, type TurnPorts } from "./turn.ts";

/** Undefined when it cannot be read: then the effect is held, and the turn goes on without it. */
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

/** Undefined when the payload stands in the ledger itself. A store that does not answer fails the turn and holds nothing. */
async function storedPayload(
  ports: TurnPorts,
  turn: Turn,
  { payloadRef }: Effect,
): Promise<Payload | "unreadable" | undefined> {
  if (payloadRef === undefined) return undefined;
  // Frozen in this very turn.
  const own = [...turn.draft.payloads, ...turn.sealed].find(({ id }) => id === payloadRef);
  if (own !== undefined) return own;
  try {
    return await ports.at("readPayload", () => ports.cases.readPayload(turn.key, payloadRef));
  } catch (error) {
    if (error instanceof TerminalFault) return "unreadable";
    throw error;
  }
}
