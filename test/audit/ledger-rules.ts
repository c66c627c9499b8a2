// What the store took in, batch by batch, against the protocol: rules over the ledger's own history.
import type { Case } from "../../shared/domain/records/case.ts";
import type { Effect } from "../../shared/domain/records/effect.ts";
import type { CaseTestimony, Testimony } from "./testimony.ts";

interface Written {
  atMs: number;
  before: Effect | undefined;
  after: Effect;
  case: Case;
}

/** Every state that an effect was ever written in, in the store's order. */
function effectWrites({ landed }: CaseTestimony): Written[] {
  const latest = new Map<string, Effect>();
  return landed.flatMap(({ atMs, batch }) => {
    const effects = [...batch.creates, ...batch.replaces].filter(({ type }) => type === "effect");
    return (effects as Effect[]).map((after) => {
      const before = latest.get(after.operationId);
      latest.set(after.operationId, after);
      return { atMs, before, after, case: batch.caseDocument as Case };
    });
  });
}

function claimsOf(testimony: CaseTestimony): Written[] {
  return effectWrites(testimony).filter(
    ({ after, before }) => after.attempts.length > (before?.attempts.length ?? 0),
  );
}

export function claimsAreCurrent({ cases }: Testimony): string[] {
  return cases.flatMap((testimony) =>
    claimsOf(testimony).flatMap(({ after, case: record }) => {
      if (after.origin !== "plan") return [];
      const wrong: string[] = [];
      if (after.decidedOn !== record.version) {
        wrong.push(`${after.operationId} of v${after.decidedOn} was claimed at v${record.version}`);
      }
      if (record.contradictionsOpen > 0) {
        wrong.push(`${after.operationId} was claimed while a contradiction is open`);
      }
      return wrong;
    }),
  );
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

export function statusesFollowTable({ cases }: Testimony): string[] {
  return cases.flatMap((testimony) =>
    effectWrites(testimony).flatMap(({ after, before }) => {
      if (before === undefined || before.status === after.status) return [];
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
    }),
  );
}

/** Denied on what one attempt says, while another may have reached the provider. */
function earlierMayHaveLeft(effect: Effect): boolean {
  if (effect.status === "rejected" && effect.settledBy === "person") return false;
  const left = effect.attempts.filter(
    ({ end }) => end?.kind !== "notSent" && end?.kind !== "notApplied",
  );
  return left.length > (effect.status === "rejected" ? 1 : 0);
}

export function noLostUpdate({ cases }: Testimony): string[] {
  return cases.flatMap(({ landed }) =>
    landed.flatMap(({ batch }, n) => {
      const stands = landed[n - 1]?.caseEtag;
      if (batch.caseEtag === stands) return [];
      return [
        `${batch.log.id} rests on ${batch.caseEtag ?? "no case"} and was written over ${stands}`,
      ];
    }),
  );
}

export function fencesRise({ cases }: Testimony): string[] {
  return cases.flatMap((testimony) => {
    const records = testimony.landed.map(({ batch }) => batch.caseDocument as Case);
    const fallen = records.flatMap((record, n) => {
      const before = records[n - 1]?.fence ?? 0;
      return record.fence < before ? [`the fence fell from ${before} to ${record.fence}`] : [];
    });
    const fences = claimsOf(testimony).map(({ after }) => after.attempts.at(-1)?.fence ?? 0);
    const repeated = fences.flatMap((fence, n) =>
      fence <= (fences[n - 1] ?? 0) ? [`a claim got fence ${fence} after ${fences[n - 1]}`] : [],
    );
    return [...fallen, ...repeated];
  });
}

export function versionDecidedOnce({ cases }: Testimony): string[] {
  return cases.flatMap((testimony) => {
    const wrong: string[] = [];
    let before: Case | undefined;
    const decided = new Set<number>();
    for (const { batch } of testimony.landed) {
      const after = batch.caseDocument as Case;
      const version = after.decidedVersion;
      const isDecision = batch.log.did.some((line) => line.startsWith("decided on "));
      if (isDecision && version !== undefined) {
        if (decided.has(version)) wrong.push(`version ${version} was decided on twice`);
        decided.add(version);
      }
      if (before !== undefined && after.version < before.version) {
        wrong.push(`the version fell from ${before.version} to ${after.version}`);
      }
      const moved = before?.status !== after.status || before.factsDigest !== after.factsDigest;
      if (before !== undefined && moved && after.version === before.version) {
        wrong.push(`facts or status changed within version ${after.version}`);
      }
      before = after;
    }
    return wrong;
  });
}

export function logIdsUnique({ cases }: Testimony): string[] {
  return cases.flatMap(({ final, landed }) => {
    const written = landed.map(({ batch }) => batch.log.id);
    const kept = new Set((final?.log ?? []).map(({ id }) => id));
    const repeated = written.length - new Set(written).size;
    const lost = written.filter((id) => !kept.has(id));
    return [
      ...(repeated > 0 ? [`${repeated} batches landed twice under one name`] : []),
      ...lost.map((id) => `${id} landed and left no line of history`),
    ];
  });
}

export function commitTells({ cases, settled }: Testimony): string[] {
  return cases.flatMap(({ decisions, final, landed }) => {
    const wrong: string[] = [];
    let before: Case | undefined;
    for (const { batch } of landed) {
      const after = batch.caseDocument as Case;
      if (before !== undefined && before.status !== after.status) {
        wrong.push(
          ...untold(
            after,
            decisions,
            batch.creates.map(({ id }) => id),
          ),
        );
      }
      before = after;
    }
    const reviewed = new Set(
      final?.snapshot.reviews
        .filter((review) => review.resolution === undefined)
        .map(({ subject }) => subject),
    );
    const silent = (final?.snapshot.effects ?? []).filter(
      (effect) =>
        effect.origin === "outbox" &&
        effect.status !== "confirmed" &&
        !reviewed.has(effect.operationId) &&
        !(effect.status === "rejected" && effect.settledBy === "person") &&
        !(effect.status === "unknown" && effect.abandonedBy !== undefined),
    );
    const isParked = final?.snapshot.case?.held?.reason === "Poison";
    if (settled && !isParked)
      wrong.push(
        ...silent.map(
          (effect) =>
            `${effect.operationId} told nobody: it is ${effect.status}, and no review is open`,
        ),
      );
    return wrong;
  });
}

function untold(after: Case, decisions: CaseTestimony["decisions"], created: string[]): string[] {
  const decided = decisions.findLast(
    ({ decision }) => decision.kind === "plan" && decision.nextStatus === after.status,
  );
  const owed = decided?.decision.kind === "plan" ? decided.decision.notifications.length : 0;
  const told = created.filter((id) => id.startsWith("effect:")).length;
  return told >= owed
    ? []
    : [`the commit of v${after.version} owes ${owed} notifications and wrote ${told}`];
}

export function noCaseLost({ cases, settled }: Testimony): string[] {
  if (!settled) return [];
  return cases.flatMap(({ events, final, key }) => {
    const snapshot = final?.snapshot;
    if (snapshot?.case === undefined)
      return events.length === 0 ? [] : [`${key.caseId} was never opened`];
    const folded = new Set(
      snapshot.events.filter((event) => event.folded !== undefined).map(({ id }) => id),
    );
    // Parked, with a review that says so: a person lets it go on.
    if (snapshot.case.held?.reason === "Poison") return [];
    const unfolded = snapshot.findings.filter((finding) => finding.folded === undefined);
    return [
      ...events
        .filter((id) => !folded.has(id))
        .map((id) => `${id} is durable and was never folded`),
      ...unfolded.map(({ id }) => `${id} is durable and was never folded`),
    ];
  });
}

export function unknownIsVisible({ cases, settled }: Testimony): string[] {
  return cases.flatMap(({ final }) => {
    if (final === undefined) return [];
    const { effects, reviews } = final.snapshot;
    const open = new Set(
      reviews.filter((review) => review.resolution === undefined).map(({ id }) => id),
    );
    // A held case's own review shows what it holds (the oracle says when that may be).
    const record = final.snapshot.case;
    const isHeld = record?.held !== undefined || (record?.contradictionsOpen ?? 0) > 0;
    const isDue = final.snapshot.case?.dueAtMs !== undefined;
    return effects.flatMap((effect) => {
      if (effect.status === "started" && settled) return [`${effect.operationId} is still started`];
      if (effect.status !== "unknown" || effect.abandonedBy !== undefined) return [];
      if (effect.reviewRef !== undefined && open.has(effect.reviewRef)) return [];
      if (!settled && isDue) return [];
      if (isHeld && effect.origin === "plan") return [];
      return [`${effect.operationId} is unknown, in no open review`];
    });
  });
}
