// What the world saw against what the ledger says: rules over the providers' journals.
import { createHash } from "node:crypto";
import canonicalize from "canonicalize";
import type { Effect } from "../../shared/domain/records/effect.ts";
import type { Grant } from "../../shared/domain/records/grant.ts";
import { simulatedKeys } from "../simulation/workflows.ts";
import type { Applied, Received, Testimony } from "./testimony.ts";

const effectsOf = ({ cases }: Testimony): Effect[] =>
  cases.flatMap(({ final }) => final?.snapshot.effects ?? []);

const appliedOf = ({ applied }: Testimony, operationId: string): Applied[] =>
  applied.filter((entry) => entry.operationId === operationId);

export function appliedOnce(testimony: Testimony): string[] {
  const effects = new Map(effectsOf(testimony).map((effect) => [effect.operationId, effect]));
  const byIntent = new Map<string, Applied[]>();
  for (const entry of testimony.applied) {
    const intent = intentOf(entry, effects);
    byIntent.set(intent, [...(byIntent.get(intent) ?? []), entry]);
  }
  return [...byIntent].flatMap(([intent, entries]) => {
    // A person said that it had not happened, and it happened after that: the person's word, not the machine's doing.
    const machineMade = entries.filter(
      (entry) => !deniedByPersonBefore(testimony, entry) && !frozenPastMargin(testimony, entry),
    );
    const ids = new Set(entries.map(({ operationId }) => operationId));
    const isRepeated = machineMade.length > 1;
    return isRepeated
      ? [`${intent} was applied ${entries.length} times: ${[...ids].join(", ")}`]
      : [];
  });
}

/** A notification tells of one commit; everything else is one wish of one case about one target. */
function intentOf(entry: Applied, effects: ReadonlyMap<string, Effect>): string {
  const effect = effects.get(entry.operationId);
  if (effect === undefined) return `unplanned ${entry.operationId}`;
  const commit = effect.origin === "outbox" ? `commit ${effect.justifiedBy}` : "";
  const { tenantId, caseId, action, target, repeats = "" } = effect;
  return [tenantId, caseId, action, target, commit, repeats].join(" ");
}

function deniedByPersonBefore({ statements }: Testimony, entry: Applied): boolean {
  return statements.some(
    ({ finding }) =>
      finding.operationId === entry.operationId &&
      finding.content.kind === "statement" &&
      finding.content.statement.kind === "didNotHappen" &&
      finding.foundAtMs <= entry.atMs,
  );
}

/**
 * The one window that is stated and not closed: the worker that sent it was frozen between its gate and the socket for
 * longer than the contract's margin allows for.
 */
function frozenPastMargin({ contracts, freezes, received }: Testimony, entry: Applied): boolean {
  const marginMs = contracts[entry.provider]?.idempotency?.marginMs ?? Infinity;
  return freezes.some(
    ({ fromMs, toMs, worker }) =>
      toMs - fromMs > marginMs &&
      received.some(
        (call) =>
          call.operationId === entry.operationId &&
          call.worker === worker &&
          call.sentAtMs >= toMs &&
          call.atMs <= entry.atMs,
      ),
  );
}

export function confirmedWasApplied(testimony: Testimony): string[] {
  return effectsOf(testimony).flatMap((effect) => {
    if (effect.status !== "confirmed" || effect.settledBy === "person") return [];
    const found = appliedOf(testimony, effect.operationId);
    const proves = found.some(
      ({ providerId, payload, target }) =>
        providerId === effect.receipt.providerId &&
        target === effect.target &&
        digestIn(effect)(payload) === effect.payloadDigest,
    );
    if (proves) return [];
    return [
      `${effect.operationId} is confirmed by ${effect.receipt.providerId}; applied: ${found.length}`,
    ];
  });
}

export function deniedWasNotApplied(testimony: Testimony): string[] {
  return effectsOf(testimony).flatMap((effect) => {
    if (effect.status !== "rejected" && effect.status !== "cancelled") return [];
    const entries = appliedOf(testimony, effect.operationId);
    const unexcused = entries.filter((entry) => !deniedByPersonBefore(testimony, entry));
    const byPerson = effect.status === "rejected" && effect.settledBy === "person";
    if (unexcused.length === 0 || byPerson) return [];
    return [
      `${effect.operationId} is ${effect.status} and was applied as ${entries[0]?.providerId}`,
    ];
  });
}

/** A receipt that the store holds for what is denied, or a second one for what is confirmed. */
export function contradictionShows(testimony: Testimony): string[] {
  return testimony.cases.flatMap(({ final }) => {
    if (final === undefined) return [];
    const { effects, findings, reviews } = final.snapshot;
    return effects.flatMap((effect) => {
      const isDenied = effect.status === "rejected" || effect.status === "cancelled";
      const proof = findings.find(
        ({ content, folded, operationId }) =>
          operationId === effect.operationId &&
          (folded !== undefined || testimony.settled) &&
          receiptIn(content)?.boundTo.payloadDigest === effect.payloadDigest &&
          (isDenied ||
            (effect.status === "confirmed" &&
              receiptIn(content)?.providerId !== effect.receipt.providerId)),
      );
      if (proof === undefined) return [];
      const reviewed = reviews.some(
        ({ kind, subject }) => kind === "Contradiction" && subject === effect.operationId,
      );
      if (effect.contradicted !== undefined && reviewed) return [];
      return [
        `${effect.operationId} is ${effect.status}, ${proof.id} proves otherwise, nobody is told`,
      ];
    });
  });
}

function receiptIn(content: Testimony["statements"][number]["finding"]["content"]) {
  if (content.kind === "providerReport") return content.receipt;
  if (content.kind === "attemptEnd" && content.answer.kind === "receipt")
    return content.answer.receipt;
  if (content.kind === "lookup" && content.verdict.kind === "found") return content.verdict.receipt;
  return undefined;
}

export function grantHeldAtGate(testimony: Testimony): string[] {
  return testimony.received.flatMap((call) => {
    const claimedAtMs = claimTimeOf(testimony, call) ?? 0;
    const looked = testimony.gateReads
      .filter(
        ({ atMs, worker }) =>
          worker === call.worker && atMs >= claimedAtMs && atMs <= call.sentAtMs,
      )
      .some(({ atMs, grantId }) => holdsAt(testimony, grantId, call, atMs));
    return looked
      ? []
      : [`${call.operationId} was sent by ${call.worker} without a grant that held`];
  });
}

export function claimStandsAtSend(testimony: Testimony): string[] {
  return testimony.received.flatMap((call) => {
    const claimedAtMs = claimTimeOf(testimony, call);
    if (claimedAtMs !== undefined && claimedAtMs <= call.sentAtMs) return [];
    return [`${call.operationId} was sent by ${call.worker} before any claim of it stood`];
  });
}

/** Frozen between the gate and the socket is the stated window; everything else must have looked at its timer. */
export function sendsInTime(testimony: Testimony): string[] {
  return testimony.received.flatMap((call) => {
    const callTimeoutMs = testimony.contracts[call.provider]?.callTimeoutMs ?? 0;
    const lateMs = call.sentAtMs - ((claimTimeOf(testimony, call) ?? 0) + callTimeoutMs);
    const wasFrozen = testimony.freezes.some(
      ({ toMs, worker }) =>
        worker === call.worker && toMs <= call.sentAtMs && call.sentAtMs - toMs < 1000,
    );
    if (lateMs <= 0 || wasFrozen) return [];
    return [`${call.operationId} was sent by ${call.worker} ${lateMs} ms after its claim's time`];
  });
}

export function receiptIsKept(testimony: Testimony): string[] {
  if (!testimony.settled) return [];
  const kept = new Set(
    testimony.cases.flatMap(({ final }) => [
      ...(final?.snapshot.effects ?? [])
        .filter(({ attempts }) => attempts.some(({ end }) => end?.kind === "receipt"))
        .map(({ operationId }) => operationId),
      ...(final?.snapshot.findings ?? [])
        .filter(({ content }) => receiptIn(content) !== undefined)
        .map(({ operationId }) => operationId),
    ]),
  );
  return testimony.answered.flatMap(({ operationId, worker }) => {
    if (kept.has(operationId) || testimony.lostWorkers.has(worker)) return [];
    return [`${worker} got a receipt for ${operationId}, lives, and left it nowhere`];
  });
}

/** When the batch landed that claimed this very attempt. */
function claimTimeOf({ cases }: Testimony, call: Received): number | undefined {
  for (const { landed } of cases) {
    for (const { atMs, batch } of landed) {
      const claims = batch.caseDocument.type === "case" ? batch.caseDocument.claim : undefined;
      if (claims?.operationId === call.operationId && claims.fence === call.fence) return atMs;
    }
  }
  return undefined;
}

function holdsAt({ grants }: Testimony, grantId: string, call: Received, atMs: number): boolean {
  const states = grants.filter((entry) => entry.grant.id === grantId && entry.atMs <= atMs);
  const grant: Grant | undefined = states.at(-1)?.grant;
  if (grant === undefined || grant.revoked !== undefined) return false;
  const isOver = grant.expiresAtMs !== undefined && grant.expiresAtMs <= atMs;
  const isItsTarget = grant.target === "*" || grant.target === call.target;
  return !isOver && isItsTarget && grant.action === call.action && grant.tenantId === call.tenantId;
}

export function bytesAsFrozen(testimony: Testimony): string[] {
  const effects = new Map(effectsOf(testimony).map((effect) => [effect.operationId, effect]));
  return testimony.received.flatMap((call) => {
    const effect = effects.get(call.operationId);
    if (effect === undefined) return [`${call.operationId} was sent and is not in the ledger`];
    const same =
      digestIn(effect)(call.payload) === effect.payloadDigest && call.target === effect.target;
    return same ? [] : [`${call.operationId} was sent with other bytes than it was frozen with`];
  });
}

/** Of a payload that is kept apart the ledger has a keyed digest. */
const digestIn = ({ payloadRef }: Effect) => (payloadRef === undefined ? sha256 : keyedDigest);

function keyedDigest(payload: unknown): string {
  return simulatedKeys.digest(canonicalize(payload) ?? "");
}

function sha256(payload: unknown): string {
  return createHash("sha256")
    .update(canonicalize(payload) ?? "")
    .digest("hex");
}
