// Is this the same intent again? (protocol counterexample 2; cases.md 72). Pure.
//
// An operation id contains the version, so a new decision that asks for what was already done gets a new id and a new key: no
// provider would notice the repeat. Only this check does. A plan effect repeats
//
//   an effect of an earlier decision    of the same action on the same target, or one that compensates the same effect
//   an effect of its own decision       only if it is the same in every byte; with another payload both are meant
//   a notification still to be sent     of the same action to the same target
//
// unless its `repeats` names that effect, and with it the same of that one's decision and whatever these were meant to repeat.
// A notification repeats nothing of an earlier commit: each commit may tell the same person.
import type { Book } from "../definitions.ts";
import type { PlannedAction } from "../records/case.ts";
import type { Effect } from "../records/effect.ts";
import { findEffect, type Snapshot } from "../records/snapshot.ts";
import { isSameTarget } from "../same-text.ts";
import { landsUntilMs } from "./send-cover.ts";

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

/** Why a new plan may not stand: it freezes a known operation anew, or would do or tell something twice. */
export function whyPlanRepeats(
  snapshot: Snapshot,
  effects: readonly Effect[],
  notifications: readonly PlannedAction[],
): { reason: "PayloadMismatch" | "RepeatedIntent"; why: string } | undefined {
  const planned = { ...snapshot, effects: [...snapshot.effects, ...effects] };
  for (const effect of effects) {
    const known = findEffect(snapshot, effect.operationId);
    if (known !== undefined && known.payloadDigest !== effect.payloadDigest) {
      const why = `${effect.action} was frozen with another payload`;
      return { reason: "PayloadMismatch", why };
    }
    const repeated = whyRepeated(planned, effect);
    if (repeated !== undefined) return { reason: "RepeatedIntent", why: repeated };
  }
  const twice = whyToldTwice(effects, notifications);
  return twice === undefined ? undefined : { reason: "RepeatedIntent", why: twice };
}

/** Why this intent would repeat an effect that it does not name; undefined when it would not. */
export function whyRepeated(snapshot: Snapshot, intent: Intent): string | undefined {
  const named = namedBy(snapshot, intent);
  const earlier = snapshot.effects.find(
    (effect) =>
      effect.operationId !== intent.operationId &&
      !named.has(effect.operationId) &&
      (isOfSameDecision(effect, intent)
        ? isSameIntent(effect, intent) && isIdenticalBefore(effect, intent)
        : (isSameIntent(effect, intent) || compensatesTheSame(effect, intent)) &&
          mayHaveHappened(effect)),
  );
  if (earlier === undefined) return undefined;
  return `${intent.action} would repeat ${earlier.operationId}, which is ${earlier.status}`;
}

type Message = Pick<PlannedAction, "action" | "target" | "payloadDigest">;

/** Why one decision would tell the same person the same thing twice: by two notifications, or by an action and a notification. */
function whyToldTwice(
  actions: readonly Message[],
  notifications: readonly Message[],
): string | undefined {
  const told = new Set(actions.map(textOf));
  for (const notification of notifications) {
    const text = textOf(notification);
    if (told.has(text)) return `${notification.action} would tell the same twice`;
    told.add(text);
  }
  return undefined;
}

function textOf({ action, payloadDigest, target }: Message): string {
  return JSON.stringify([familyOf(action), target, payloadDigest]);
}

/**
 * Why this intent may be done twice although the same was rejected before: a call of the rejected effect may still land. Its
 * worker was never seen to end, or a person denied it before the provider's horizon. The new operation has a new key, so
 * the provider would carry out both.
 */
export function whyMayStillLand(
  { effects }: Pick<Snapshot, "effects">,
  intent: Intent,
  { book, nowMs }: { book: Book; nowMs: number },
): string | undefined {
  const denied = effects.find(
    (effect) =>
      effect.operationId !== intent.operationId &&
      effect.status === "rejected" &&
      (isSameIntent(effect, intent) || compensatesTheSame(effect, intent)) &&
      (effect.attempts.some(({ end }) => end === undefined || end.kind === "orphaned") ||
        (effect.settledBy === "person" && nowMs <= landsUntilMs(effect, book))),
  );
  if (denied === undefined) return undefined;
  return `${denied.operationId}, the same before, was denied while a call of it may still land: then it is done twice.`;
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

/** By whatever action: an effect is compensated once. */
function compensatesTheSame(effect: Effect, { compensates }: Intent): boolean {
  return compensates !== undefined && effect.compensates === compensates;
}

function isOfSameDecision(effect: Effect, intent: Intent): boolean {
  return effect.origin === "plan" && effect.decidedOn === intent.decidedOn;
}

function isIdenticalBefore(effect: Effect, intent: Intent): boolean {
  return effect.payloadDigest === intent.payloadDigest && effect.ordinal < intent.ordinal;
}

/** The action without its version: `portal.credit.v2` does again what `portal.credit.v1` did. */
function familyOf(action: string): string {
  return action.replace(/\.v\d+$/, "");
}

/** The effect that `repeats` names, the same of that one's decision, the ones that these repeat, and so on. */
function namedBy({ effects }: Snapshot, { repeats }: Intent): Set<string> {
  const named = new Set(repeats === undefined ? [] : [repeats]);
  // A set shows what is added while it is walked.
  for (const operationId of named) {
    const effect = findEffect({ effects }, operationId);
    if (effect === undefined) continue;
    if (effect.repeats !== undefined) named.add(effect.repeats);
    for (const other of effects) {
      if (isOfSameDecision(other, effect) && isSameIntent(other, effect)) {
        named.add(other.operationId);
      }
    }
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
    // Of another decision only notifications can still be prepared, and those are sent whatever is decided now.
    case "prepared":
      return effect.origin === "outbox";
    case "rejected":
    case "cancelled":
      return false;
  }
}
