// What the store took in, batch by batch, against the protocol: rules over the ledger's own history.
import type { Case } from "../../shared/domain/records/case.ts";
import type { Effect } from "../../shared/domain/records/effect.ts";
import { claimsOf, effectWrites } from "./history.ts";
import { judged, type Judged } from "./judged.ts";
import type { CaseTestimony, Landed, Testimony } from "./testimony.ts";

export function claimsAreCurrent({ cases }: Testimony): Judged {
  const claims = cases.flatMap(claimsOf).filter(({ after }) => after.origin === "plan");
  return judged(claims, ({ after, case: record }) => [
    after.decidedOn === record.version
      ? undefined
      : `${after.operationId} of v${after.decidedOn} was claimed at v${record.version}`,
    record.contradictionsOpen === 0
      ? undefined
      : `${after.operationId} was claimed while a contradiction is open`,
  ]);
}

const follows: Readonly<Record<Effect["status"], readonly Effect["status"][]>> = {
  prepared: ["started", "confirmed", "cancelled"],
  started: ["confirmed", "rejected", "prepared", "unknown"],
  // Back to prepared when its one attempt, taken for orphaned, proved later that nothing of it left.
  unknown: ["started", "confirmed", "rejected", "prepared"],
  confirmed: [],
  rejected: [],
  cancelled: [],
};

export function statusesFollowTable({ cases }: Testimony): Judged {
  const changes = cases
    .flatMap(effectWrites)
    .flatMap(({ after, before }) =>
      before === undefined || before.status === after.status ? [] : [{ after, before }],
    );
  return judged(changes, ({ after, before }) => {
    // A batch may hold a claim's end and the next claim: two steps, one write.
    const isOneStep = follows[before.status].includes(after.status);
    const isTwoSteps = follows[before.status].some((between) =>
      follows[between].includes(after.status),
    );
    const id = after.operationId;
    const wrong =
      isOneStep || (isTwoSteps && before.status !== "prepared")
        ? []
        : [`${id} went from ${before.status} to ${after.status}`];
    const isDenied = ["rejected", "cancelled", "prepared"].includes(after.status);
    if (before.payloadDigest !== after.payloadDigest) wrong.push(`${id} changed its payload`);
    if (isDenied && earlierMayHaveLeft(after))
      wrong.push(`${id} may have left and is ${after.status}`);
    return wrong;
  });
}

/** Denied on what one attempt says, while another may have reached the provider. */
function earlierMayHaveLeft(effect: Effect): boolean {
  if (effect.status === "rejected" && effect.settledBy === "person") return false;
  const left = effect.attempts.filter(
    ({ end }) => end?.kind !== "notSent" && end?.kind !== "notApplied",
  );
  return left.length > (effect.status === "rejected" ? 1 : 0);
}

export function noLostUpdate({ cases }: Testimony): Judged {
  const writes = cases.flatMap(({ landed }) =>
    landed.map(({ batch }, n) => ({ batch, stands: landed[n - 1]?.caseEtag })),
  );
  return judged(writes, ({ batch, stands }) =>
    batch.caseEtag === stands
      ? undefined
      : `${batch.log.id} rests on ${batch.caseEtag ?? "no case"} and was written over ${stands}`,
  );
}

export function fencesRise({ cases }: Testimony): Judged {
  const steps = cases.flatMap((testimony) => [
    ...inPairs(testimony.landed.map(({ batch }) => (batch.caseDocument as Case).fence)).map(
      ([before, after]) => ({ before, after, isFallen: after < before, what: "the fence" }),
    ),
    ...inPairs(claimsOf(testimony).map(({ after }) => after.attempts.at(-1)?.fence ?? 0)).map(
      ([before, after]) => ({ before, after, isFallen: after <= before, what: "a claim's fence" }),
    ),
  ]);
  return judged(steps, ({ after, before, isFallen, what }) =>
    isFallen ? `${what} went from ${before} to ${after}` : undefined,
  );
}

function inPairs<One>(list: readonly One[]): [One, One][] {
  return list.slice(1).flatMap((after, n): [One, One][] => {
    const before = list[n];
    return before === undefined ? [] : [[before, after]];
  });
}

export function versionDecidedOnce({ cases }: Testimony): Judged {
  return judged(cases, ({ landed }) => {
    const decided = landed
      .filter(({ batch }) => batch.log.did.some((line) => line.startsWith("decided on ")))
      .map(({ batch }) => (batch.caseDocument as Case).decidedVersion);
    const twice = decided.filter((version, n) => decided.indexOf(version) !== n);
    return [
      ...twice.map((version) => `version ${version} was decided on twice`),
      ...inPairs(landed.map(({ batch }) => batch.caseDocument as Case)).flatMap(whyMoved),
    ];
  });
}

function whyMoved([before, after]: [Case, Case]): string[] {
  const fell =
    after.version < before.version
      ? [`the version fell from ${before.version} to ${after.version}`]
      : [];
  const moved = before.status !== after.status || before.factsDigest !== after.factsDigest;
  return moved && after.version === before.version
    ? [...fell, `facts or status changed within version ${after.version}`]
    : fell;
}

export function logIdsUnique({ cases }: Testimony): Judged {
  const lines = cases.flatMap(({ final, landed }) => {
    const kept = new Set((final?.log ?? []).map(({ id }) => id));
    const names = landed.map(({ batch }) => batch.log.id);
    return names.map((id, n) => ({ id, isKept: kept.has(id), isFirst: names.indexOf(id) === n }));
  });
  return judged(lines, ({ id, isFirst, isKept }) => [
    isFirst ? undefined : `${id} landed twice under one name`,
    isKept ? undefined : `${id} landed and left no line of history`,
  ]);
}

/** The batch of a commit carries what it owes. */
export function commitTells({ cases, settled, statements }: Testimony): Judged {
  const givenUp = new Set(
    statements
      .filter(
        ({ finding: { content } }) =>
          content.kind === "statement" && content.statement.kind === "abandon",
      )
      .map(({ finding }) => finding.operationId),
  );
  const commits = cases.flatMap(({ decisions, landed }) =>
    inPairs(landed).flatMap(([before, after]) => {
      const moved =
        (before.batch.caseDocument as Case).status !== (after.batch.caseDocument as Case).status;
      return moved ? [() => untold(after, decisions)] : [];
    }),
  );
  const told = settled ? cases.flatMap((one) => notifications(one, givenUp)) : [];
  return judged([...commits, ...told], (isWrong) => isWrong());
}

/** Each comes to an end, or to a person. A parked case's own review shows what it holds. */
function notifications({ final }: CaseTestimony, givenUp: ReadonlySet<string>): (() => string[])[] {
  if (final?.snapshot.case?.held?.reason === "Poison") return [];
  const reviewed = new Set(
    final?.snapshot.reviews
      // Open, or a person has seen it: nothing else resolves this kind.
      .filter(({ kind, resolution }) => resolution === undefined || kind === "NotificationFailed")
      .map(({ subject }) => subject),
  );
  const outbox = (final?.snapshot.effects ?? []).filter(({ origin }) => origin === "outbox");
  return outbox.map((effect) => () => {
    const isTold =
      effect.status === "confirmed" ||
      reviewed.has(effect.operationId) ||
      (effect.status === "rejected" && effect.settledBy === "person") ||
      (effect.status === "unknown" && effect.abandonedBy !== undefined) ||
      (effect.status === "cancelled" && givenUp.has(effect.operationId));
    return isTold
      ? []
      : [`${effect.operationId} told nobody: it is ${effect.status}, and no review is open`];
  });
}

function untold({ batch }: Landed, decisions: CaseTestimony["decisions"]): string[] {
  const after = batch.caseDocument as Case;
  const created = batch.creates.map(({ id }) => id);
  const decided = decisions.findLast(
    ({ decision }) => decision.kind === "plan" && decision.nextStatus === after.status,
  );
  const owed = decided?.decision.kind === "plan" ? decided.decision.notifications.length : 0;
  const told = created.filter((id) => id.startsWith("effect:")).length;
  return told >= owed
    ? []
    : [`the commit of v${after.version} owes ${owed} notifications and wrote ${told}`];
}

export function noCaseLost({ cases, settled }: Testimony): Judged {
  const told = settled ? cases.flatMap(durableOf) : [];
  return judged(told, ({ id, isFolded }) =>
    isFolded ? undefined : `${id} is durable and was never folded`,
  );
}

/** Every event and finding that was ever durable. Parked, a review says so: a person lets it go on. */
function durableOf({ events, final }: CaseTestimony): { id: string; isFolded: boolean }[] {
  const snapshot = final?.snapshot;
  if (snapshot?.case?.held?.reason === "Poison") return [];
  const isFolded = new Set(
    snapshot?.events.filter((event) => event.folded !== undefined).map(({ id }) => id),
  );
  return [
    ...events.map((id) => ({ id, isFolded: isFolded.has(id) })),
    ...(snapshot?.findings ?? []).map(({ id, folded }) => ({ id, isFolded: folded !== undefined })),
  ];
}

/** A schedule's run bears its planned time, the latest one when it was made: so that all who run it make one. */
export function runsAreOne({ cases, timers }: Testimony): Judged {
  const events = cases.flatMap(({ final }) => final?.snapshot.events ?? []);
  const runs = events.flatMap((event) => {
    const timer = timers.find(({ source }) => source === event.source);
    return timer === undefined ? [] : [{ event, timer }];
  });
  return judged(runs, ({ event, timer }) => {
    const everyMs = timer.everyMinutes * 60_000;
    const plannedMs = Date.parse(event.eventId);
    const isPlanned = (plannedMs - timer.startsAtMs) % everyMs === 0;
    const lateMs = event.receivedAtMs - plannedMs;
    return isPlanned && lateMs >= 0 && lateMs < everyMs
      ? undefined
      : `${event.id} was made at ${new Date(event.receivedAtMs).toISOString()}`;
  });
}

/** A webhook that was accepted comes to the case of the operation that it is about, and to no other. */
export function reportsAreHeard({ cases, reports, settled }: Testimony): Judged {
  const findings = cases.flatMap(({ final }) => final?.snapshot.findings ?? []);
  return judged(settled ? reports : [], ({ by, deliveredAtMs, operationId }) => {
    const heard = findings.filter((one) => one.by === by && deliveredAtMs.includes(one.foundAtMs));
    const [first] = heard;
    if (first === undefined) return `${by} told of ${operationId}, and it is in no case`;
    return heard.some((one) => one.operationId === operationId)
      ? undefined
      : `${by} told of ${operationId}, and ${first.operationId} was taken for it`;
  });
}

export function unknownIsVisible({ cases, settled }: Testimony): Judged {
  const effects = cases.flatMap((one) =>
    (one.final?.snapshot.effects ?? []).map((effect) => ({ effect, one })),
  );
  const open = effects.filter(
    ({ effect }) =>
      (effect.status === "started" && settled) ||
      (effect.status === "unknown" && effect.abandonedBy === undefined),
  );
  return judged(open, ({ effect, one }) => {
    if (effect.status === "started") return `${effect.operationId} is still started`;
    const { case: record, reviews } = one.final?.snapshot ?? { case: undefined, reviews: [] };
    const isOpen = reviews.some(
      ({ id, resolution }) =>
        [effect.reviewRef, effect.payloadHold, effect.grantHold].includes(id) &&
        resolution === undefined,
    );
    if (isOpen || (!settled && record?.dueAtMs !== undefined)) return undefined;
    // A held case's own review shows what it holds (the oracle says when that may be).
    const isHeld = record?.held !== undefined || (record?.contradictionsOpen ?? 0) > 0;
    if (isHeld && effect.origin === "plan") return undefined;
    return `${effect.operationId} is unknown, in no open review`;
  });
}
