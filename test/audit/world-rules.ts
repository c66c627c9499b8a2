// What the world saw against what the ledger says: rules over the providers' journals.
import type { Effect } from "../../shared/domain/records/effect.ts";
import type { Finding, Receipt } from "../../shared/domain/records/evidence.ts";
import type { Grant } from "../../shared/domain/records/grant.ts";
import type { Review } from "../../shared/domain/records/review.ts";
import { coversContent } from "./grants.ts";
import { claimTimeOf, digestFor, frozenEffects, gateOf } from "./history.ts";
import { judged, type Judged } from "./judged.ts";
import type { Applied, Landed, Received, Testimony } from "./testimony.ts";

const effectsOf = ({ cases }: Testimony): Effect[] =>
  cases.flatMap(({ final }) => final?.snapshot.effects ?? []);

const appliedOf = ({ applied }: Testimony, operationId: string): Applied[] =>
  applied.filter((entry) => entry.operationId === operationId);

export function appliedOnce(testimony: Testimony): Judged {
  const effects = frozenEffects(testimony);
  const byIntent = new Map<string, Applied[]>();
  for (const entry of testimony.applied) {
    const intent = intentOf(entry, effects);
    byIntent.set(intent, [...(byIntent.get(intent) ?? []), entry]);
  }
  return judged([...byIntent], ([intent, entries]) => {
    // A person said that it had not happened, and it happened after that: the person's word, not the machine's doing.
    const machineMade = entries.filter(
      (entry) =>
        !deniedByPersonBefore(testimony, entry) &&
        !forcedBefore(testimony, entry) &&
        !frozenPastMargin(testimony, entry),
    );
    const ids = new Set(entries.map(({ operationId }) => operationId));
    // Said of what had happened already: once for each such word it is done again.
    const mistaken = [...ids].filter((id) => deniedAfterwards(testimony, id));
    return machineMade.length - mistaken.length > 1
      ? `${intent} was applied ${entries.length} times: ${[...ids].join(", ")}`
      : undefined;
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

function deniedAfterwards(testimony: Testimony, operationId: string): boolean {
  const first = appliedOf(testimony, operationId)[0];
  return (
    first !== undefined &&
    isDenied(testimony, operationId) &&
    !deniedByPersonBefore(testimony, first)
  );
}

function isDenied({ statements }: Testimony, operationId: string): boolean {
  return statements.some(
    ({ finding }) =>
      finding.operationId === operationId &&
      finding.content.kind === "statement" &&
      finding.content.statement.kind === "didNotHappen",
  );
}

/** Two people ordered another try, against the contract. */
function forcedBefore({ statements }: Testimony, entry: Applied): boolean {
  return statements.some(
    ({ finding, forced }) =>
      forced &&
      finding.operationId === entry.operationId &&
      finding.content.kind === "statement" &&
      finding.content.statement.kind === "retry" &&
      finding.foundAtMs <= entry.atMs,
  );
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

export function confirmedWasApplied(testimony: Testimony): Judged {
  const frozen = frozenEffects(testimony);
  const confirmed = effectsOf(testimony).flatMap((effect) =>
    effect.status === "confirmed" && effect.settledBy !== "person" ? [effect] : [],
  );
  return judged(confirmed, (effect) => {
    const { operationId, payloadDigest, receipt } = effect;
    const found = appliedOf(testimony, operationId);
    const proves = found.some(
      (entry) =>
        entry.providerId === receipt.providerId &&
        entry.target === frozen.get(operationId)?.target &&
        digestFor(effect, entry.payload) === payloadDigest,
    );
    if (proves) return undefined;
    return `${operationId} is confirmed by ${receipt.providerId}; applied: ${found.length}`;
  });
}

export function deniedWasNotApplied(testimony: Testimony): Judged {
  const denied = effectsOf(testimony).filter(
    (effect) =>
      effect.status === "cancelled" ||
      (effect.status === "rejected" && effect.settledBy !== "person"),
  );
  return judged(denied, (effect) => {
    const entries = appliedOf(testimony, effect.operationId);
    const unexcused = entries.filter((entry) => !deniedByPersonBefore(testimony, entry));
    if (unexcused.length === 0) return undefined;
    return `${effect.operationId} is ${effect.status} and was applied as ${entries[0]?.providerId}`;
  });
}

/** A receipt that the store holds for what is denied, or a second one for what is confirmed. */
export function contradictionShows(testimony: Testimony): Judged {
  const contradicted = testimony.cases.flatMap(({ final }) => {
    const { effects = [], findings = [], reviews = [] } = final?.snapshot ?? {};
    return effects.flatMap((effect) => {
      const isDenied = effect.status === "rejected" || effect.status === "cancelled";
      const proof = findings.find(
        ({ content, folded, operationId }) =>
          operationId === effect.operationId &&
          (folded !== undefined || testimony.settled) &&
          receiptIn(content)?.boundTo.payloadDigest === effect.payloadDigest &&
          !isOfSomethingElse(reviews, effect, receiptIn(content)) &&
          (isDenied ||
            (effect.status === "confirmed" &&
              receiptIn(content)?.providerId !== effect.receipt.providerId)),
      );
      return proof === undefined ? [] : [{ effect, proof, reviews }];
    });
  });
  return judged(contradicted, ({ effect, proof, reviews }) => {
    const reviewed = reviews.some(
      ({ kind, subject }) => kind === "Contradiction" && subject === effect.operationId,
    );
    if (effect.contradicted !== undefined && reviewed) return undefined;
    return `${effect.operationId} is ${effect.status}, ${proof.id} proves otherwise, nobody is told`;
  });
}

/** A person is shown, or was, that under this id of the provider there is something else. */
function isOfSomethingElse(
  reviews: readonly Review[],
  { foreignIds = [], operationId }: Effect,
  receipt: Receipt | undefined,
): boolean {
  const shown = reviews.flatMap(({ kind, providerIds = [], subject }) =>
    kind === "EvidenceMismatch" && subject === operationId ? providerIds : [],
  );
  return receipt !== undefined && [...foreignIds, ...shown].includes(receipt.providerId);
}

function receiptIn(content: Testimony["statements"][number]["finding"]["content"]) {
  if (content.kind === "providerReport") return content.receipt;
  if (content.kind === "attemptEnd" && content.answer.kind === "receipt")
    return content.answer.receipt;
  if (content.kind === "lookup" && content.verdict.kind === "found") return content.verdict.receipt;
  return undefined;
}

/** The last look before the send must have shown a grant that held; one that was taken back before shows nothing. */
export function grantHeldAtGate(testimony: Testimony): Judged {
  return judged(testimony.received, (call) => {
    const gate = gateOf(testimony, call);
    const held = gate !== undefined && holdsAt(testimony, gate.grantId, { call, atMs: gate.atMs });
    return held
      ? undefined
      : `${call.operationId} was sent by ${call.worker} without a grant that held`;
  });
}

export function claimStandsAtSend(testimony: Testimony): Judged {
  return judged(testimony.received, (call) => {
    const claimedAtMs = claimTimeOf(testimony, call);
    if (claimedAtMs !== undefined && claimedAtMs <= call.sentAtMs) return undefined;
    return `${call.operationId} was sent by ${call.worker} before any claim of it stood`;
  });
}

/** Frozen between the gate and the socket is the stated window; everything else must have looked at its timer. */
export function sendsInTime(testimony: Testimony): Judged {
  return judged(testimony.received, (call) => {
    const callTimeoutMs = testimony.contracts[call.provider]?.callTimeoutMs ?? 0;
    const lateMs = call.sentAtMs - ((claimTimeOf(testimony, call) ?? 0) + callTimeoutMs);
    const wasFrozen = testimony.freezes.some(
      ({ toMs, worker }) =>
        worker === call.worker && toMs <= call.sentAtMs && call.sentAtMs - toMs < 1000,
    );
    if (lateMs <= 0 || wasFrozen) return undefined;
    return `${call.operationId} was sent by ${call.worker} ${lateMs} ms after its claim's time`;
  });
}

export function receiptIsKept(testimony: Testimony): Judged {
  const kept = new Set(
    testimony.cases.flatMap(({ final, landed }) => [
      ...(final?.snapshot.effects ?? [])
        .filter(({ attempts }) => attempts.some(({ end }) => end?.kind === "receipt"))
        .map(({ operationId }) => operationId),
      ...[...(final?.snapshot.findings ?? []), ...landed.flatMap(findingsIn)]
        .filter(({ content }) => receiptIn(content) !== undefined)
        .map(({ operationId }) => operationId),
    ]),
  );
  const answered = testimony.settled ? testimony.answered : [];
  return judged(answered, ({ operationId, worker }) => {
    if (kept.has(operationId) || testimony.lostWorkers.has(worker)) return undefined;
    return `${worker} got a receipt for ${operationId}, lives, and left it nowhere`;
  });
}

function findingsIn({ batch }: Landed): Finding[] {
  return [...batch.creates, ...batch.replaces].filter(
    (document): document is Finding => document.type === "finding",
  );
}

function holdsAt(
  { grants }: Testimony,
  grantId: string,
  { call, atMs }: { call: Received; atMs: number },
): boolean {
  const states = grants.filter((entry) => entry.grant.id === grantId && entry.atMs <= atMs);
  const grant: Grant | undefined = states.at(-1)?.grant;
  if (grant === undefined || grant.revoked !== undefined) return false;
  // The gate's clock is the store's: whole seconds, never later than the truth.
  const isOver = grant.expiresAtMs !== undefined && grant.expiresAtMs + 1000 <= atMs;
  const isItsTarget = grant.target === "*" || grant.target === call.target;
  if (!coversContent(grant, call.payload)) return false;
  return !isOver && isItsTarget && grant.action === call.action && grant.tenantId === call.tenantId;
}

export function bytesAsFrozen(testimony: Testimony): Judged {
  const frozen = frozenEffects(testimony);
  return judged(testimony.received, (call) => {
    const effect = frozen.get(call.operationId);
    if (effect === undefined) return `${call.operationId} was sent and is not in the ledger`;
    const isSame =
      digestFor(effect, call.payload) === effect.payloadDigest && call.target === effect.target;
    return isSame
      ? undefined
      : `${call.operationId} was sent with other bytes than it was frozen with`;
  });
}
