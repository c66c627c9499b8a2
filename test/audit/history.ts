// The ledger's own past, as the store took it in: what each rule looks things up in.
import { createHash } from "node:crypto";
import canonicalize from "canonicalize";
import type { Case } from "../../shared/domain/records/case.ts";
import type { Effect } from "../../shared/domain/records/effect.ts";
import type { Payload } from "../../shared/domain/records/payload.ts";
import { everyKey } from "../simulation/keyring.ts";
import type { CaseTestimony, Landed, Received, Testimony } from "./testimony.ts";

export interface Written {
  atMs: number;
  before: Effect | undefined;
  after: Effect;
  case: Case;
}

export const caseIn = ({ batch }: Landed): Case => batch.caseDocument as Case;

export function effectsIn({ batch }: Landed): Effect[] {
  return [...batch.creates, ...batch.replaces].filter(
    (document): document is Effect => document.type === "effect",
  );
}

/** Every state that an effect was ever written in, in the store's order. */
export function effectWrites({ landed }: CaseTestimony): Written[] {
  const latest = new Map<string, Effect>();
  return landed.flatMap((one) =>
    effectsIn(one).map((after) => {
      const before = latest.get(after.operationId);
      latest.set(after.operationId, after);
      return { atMs: one.atMs, before, after, case: caseIn(one) };
    }),
  );
}

export function claimsOf(testimony: CaseTestimony): Written[] {
  return effectWrites(testimony).filter(
    ({ after, before }) => after.attempts.length > (before?.attempts.length ?? 0),
  );
}

/** Each effect as it was when it was first written: nothing has been erased of it. */
export function frozenEffects({ cases }: Testimony): Map<string, Effect> {
  const frozen = new Map<string, Effect>();
  for (const { landed } of cases) {
    for (const effect of landed.flatMap(effectsIn)) {
      if (!frozen.has(effect.operationId)) frozen.set(effect.operationId, effect);
    }
  }
  return frozen;
}

/** When the batch landed that claimed this very attempt. */
export function claimTimeOf(
  { cases }: Testimony,
  call: Pick<Received, "fence" | "operationId">,
): number | undefined {
  for (const { landed } of cases) {
    for (const one of landed) {
      const { claim } = caseIn(one);
      if (claim?.operationId === call.operationId && claim.fence === call.fence) return one.atMs;
    }
  }
  return undefined;
}

/** The last look of this call's gate. */
export function gateOf(testimony: Testimony, call: Received) {
  const claimedAtMs = claimTimeOf(testimony, call) ?? 0;
  return testimony.gateReads.findLast(
    ({ atMs, worker }) => worker === call.worker && atMs >= claimedAtMs && atMs <= call.sentAtMs,
  );
}

/** What the digest of these bytes must be, as this effect is kept. */
export function digestFor(effect: Effect, payload: unknown): string {
  return effect.payloadRef === undefined
    ? sha256(payload)
    : everyKey.digest(canonicalize(payload) ?? "");
}

/** What an effect asks for, kept apart or not. Nobody but the judge has every key. */
export function contentOf(
  { landed }: CaseTestimony,
  effect: Effect,
): Readonly<Record<string, unknown>> {
  const { operationId, payload, payloadRef } = effect;
  if (payload !== undefined || payloadRef === undefined) return payload ?? {};
  const sealed = sealedIn(landed, payloadRef);
  const opened = sealed && everyKey.open({ ...effect, operationId }, sealed);
  return opened?.kind === "opened" ? (JSON.parse(opened.text) as Record<string, unknown>) : {};
}

/** As it was frozen. */
export function sealedIn(landed: readonly Landed[], payloadRef: string): Payload | undefined {
  return landed
    .flatMap(({ batch }) => batch.creates)
    .find((document): document is Payload => document.id === payloadRef);
}

function sha256(payload: unknown): string {
  return createHash("sha256")
    .update(canonicalize(payload) ?? "")
    .digest("hex");
}
