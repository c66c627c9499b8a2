// Is this the same intent again? Operation ids contain the version, so a new decision that asks for what an earlier
// one already did gets a new id; only this check stops it (protocol counterexample 2).
//
// Plan effects only: a notification tells of a commit, and each commit may tell the same person.
// What one decision asks for twice on one target is meant twice where the payloads differ; told twice word by word it is a
// stutter (cases.md 72), and is held before anything of it is sent.
// A repetition names the one before it, and with that whatever that one meant to repeat in its turn.
import type { Book } from "../definitions.ts";
import type { PlannedAction } from "../records/case.ts";
import type { Effect } from "../records/effect.ts";
import type { Snapshot } from "../records/snapshot.ts";
import { isSameTarget } from "../same-text.ts";
import { horizonEndMs } from "./send-cover.ts";

type Intent = Pick<
  Effect,
  | "operationId"
  | "action"
  | "target"
  | "repeats"
  | "compensates"
  | "decidedOn"
  | "payloadDigest"
  | "ordinal"
>;

/** What of a plan would be a defect of its decider, or done or told twice. */
export function whyNotAgain(
  snapshot: Snapshot,
  effects: readonly Effect[],
  told: readonly PlannedAction[],
): { reason: "PayloadMismatch" | "RepeatedIntent"; why: string } | undefined {
  const planned = { ...snapshot, effects: [...snapshot.effects, ...effects] };
  for (const effect of effects) {
    const known = snapshot.effects.find((other) => other.operationId === effect.operationId);
    if (known !== undefined && known.payloadDigest !== effect.payloadDigest) {
      const why = `${effect.action} was frozen with another payload`;
      return { reason: "PayloadMismatch", why };
    }
    const repeated = whyRepeated(planned, effect);
    if (repeated !== undefined) return { reason: "RepeatedIntent", why: repeated };
  }
  const twice = whyToldTwice(effects, told);
  return twice === undefined ? undefined : { reason: "RepeatedIntent", why: twice };
}

/** Why this intent would repeat an earlier effect that it does not name; undefined when it would not. */
export function whyRepeated(snapshot: Snapshot, intent: Intent): string | undefined {
  const named = namedBy(snapshot, intent);
  const earlier = snapshot.effects.find(
    (effect) =>
      effect.operationId !== intent.operationId &&
      !named.has(effect.operationId) &&
      (isSibling(effect, intent)
        ? isSameIntent(effect, intent) && isSaidBefore(effect, intent)
        : (isSameIntent(effect, intent) || makesGoodTheSame(effect, intent)) &&
          mayHaveHappened(effect)),
  );
  if (earlier === undefined) return undefined;
  return `${intent.action} would repeat ${earlier.operationId}, which is ${earlier.status}`;
}

/** One decision that tells the same person the same thing twice: by two notifications, or by an action and one. */
function whyToldTwice(
  actions: readonly Said[],
  notifications: readonly Said[],
): string | undefined {
  const said = new Set(actions.map(wordsOf));
  for (const notification of notifications) {
    const words = wordsOf(notification);
    if (said.has(words)) return `${notification.action} would tell the same twice`;
    said.add(words);
  }
  return undefined;
}

type Said = Pick<PlannedAction, "action" | "target" | "payloadDigest">;

function wordsOf({ action, payloadDigest, target }: Said): string {
  return JSON.stringify([familyOf(action), target, payloadDigest]);
}

/**
 * The same was denied while a call of it may still land: a worker that took it was never seen to end, or a person said no before
 * the provider's horizon. The key of a new operation is a new one, so no provider would take the two for one.
 */
export function whyMayStillLand(
  { effects }: Pick<Snapshot, "effects">,
  intent: Pick<Effect, "operationId" | "action" | "target">,
  { book, nowMs }: { book: Book; nowMs: number },
): string | undefined {
  const denied = effects.find(
    (effect) =>
      effect.operationId !== intent.operationId &&
      effect.status === "rejected" &&
      isSameIntent(effect, intent) &&
      (effect.attempts.some(({ end }) => end === undefined || end.kind === "orphaned") ||
        (effect.settledBy === "person" && nowMs <= landsUntilMs(effect, book))),
  );
  if (denied === undefined) return undefined;
  return `${denied.operationId}, the same before, was denied while a call of it may still land: then it is done twice.`;
}

function landsUntilMs(effect: Effect, book: Book): number {
  const contract = book.provider(effect.provider)?.contract;
  return contract === undefined ? Infinity : horizonEndMs(effect, contract);
}

function isSameIntent(
  effect: Pick<Effect, "action" | "target">,
  intent: Pick<Effect, "action" | "target">,
): boolean {
  return (
    familyOf(effect.action) === familyOf(intent.action) &&
    isSameTarget(effect.target, intent.target)
  );
}

/** By whatever action: what was made good once is not made good again. */
function makesGoodTheSame(effect: Effect, { compensates }: Intent): boolean {
  return compensates !== undefined && effect.compensates === compensates;
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
    // Of an earlier plan nothing is prepared any more; a notification is, and goes out whatever is decided now.
    case "prepared":
      return effect.origin === "outbox";
    case "rejected":
    case "cancelled":
      return false;
  }
}
