// Is this the same intent again? Operation ids contain the version, so a new decision that asks for what an earlier
// one already did gets a new id; only this check stops it (protocol counterexample 2).
//
// Plan effects only: a notification tells of a commit, and each commit may tell the same person.
// What one decision asks for twice on one target is meant twice where the payloads differ; told twice word by word it is a
// stutter (cases.md 72), and is held before anything of it is sent.
// A repetition names the one before it, and with that whatever that one meant to repeat in its turn.
import type { Effect } from "../records/effect.ts";
import type { Snapshot } from "../records/snapshot.ts";

type Intent = Pick<
  Effect,
  "operationId" | "action" | "target" | "repeats" | "decidedOn" | "payloadDigest" | "ordinal"
>;

/** Why this intent would repeat an earlier effect that it does not name; undefined when it would not. */
export function whyRepeated(snapshot: Snapshot, intent: Intent): string | undefined {
  const named = namedBy(snapshot, intent);
  const earlier = snapshot.effects.find(
    (effect) =>
      effect.operationId !== intent.operationId &&
      familyOf(effect.action) === familyOf(intent.action) &&
      effect.target === intent.target &&
      !named.has(effect.operationId) &&
      (isSibling(effect, intent) ? isSaidBefore(effect, intent) : mayHaveHappened(effect)),
  );
  if (earlier === undefined) return undefined;
  return `${intent.action} would repeat ${earlier.operationId}, which is ${earlier.status}`;
}

function isSibling(effect: Effect, intent: Intent): boolean {
  return effect.origin === "plan" && effect.decidedOn === intent.decidedOn;
}

function isSaidBefore(effect: Effect, intent: Intent): boolean {
  return effect.payloadDigest === intent.payloadDigest && effect.ordinal < intent.ordinal;
}

/** `portal.credit.v2` does again what `portal.credit.v1` did: a deploy between the two makes no new intent. */
function familyOf(action: string): string {
  return action.replace(/\.v\d+$/, "");
}

function namedBy(snapshot: Snapshot, intent: Intent): Set<string> {
  const named = new Set<string>();
  for (let next = intent.repeats; next !== undefined && !named.has(next);) {
    const operationId = next;
    named.add(operationId);
    next = snapshot.effects.find((effect) => effect.operationId === operationId)?.repeats;
  }
  return named;
}

function mayHaveHappened(effect: Effect): boolean {
  if (effect.contradicted !== undefined) return true;
  switch (effect.status) {
    case "started":
    case "unknown":
    case "confirmed":
      return true;
    case "prepared":
    case "rejected":
    case "cancelled":
      return false;
  }
}
