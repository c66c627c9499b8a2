// The people and systems around a deployment, by the app's own flows: who states what became of an effect, who grants and
// revokes, who erases, and the systems that report by webhook. They see what they could see: the record, and the system.
import type { Effect, EffectOf } from "../../shared/domain/records/effect.ts";
import type { Finding, Statement } from "../../shared/domain/records/evidence.ts";
import type { Review } from "../../shared/domain/records/review.ts";
import { eraseCase } from "../../shared/flow/operate/cases/erase-case.ts";
import { giveGrant, revokeGrant } from "../../shared/flow/operate/grants/give-grant.ts";
import type { Principal } from "../../shared/flow/operate/access/principal.ts";
import { memoryOperators } from "../memory/memory-operators.ts";
import type { AppliedHere } from "./providers.ts";
import { reportsOf } from "./reports.ts";
import { bookOf } from "./worker-ports.ts";
import { workflowType } from "./workflows.ts";
import { caseKeyOf, expectTransient, tenantId, type World } from "./world.ts";

const principal: Principal = { id: "granter", isPerson: true, roleClaims: ["admin"] };

/** Mistaken: whoever it was has not looked well. */
export const statedHows = ["honest", "honest", "forced", "abandon", "mistaken"] as const;
export type StatedHow = (typeof statedHows)[number];

/** What else a person may make of a review: another try, by force or not, another look, letting go, having seen it. */
export const resolvedHows = [
  "retry",
  "retryForced",
  "lookAgain",
  "release",
  "acknowledge",
] as const;
export type ResolvedHow = (typeof resolvedHows)[number];

/** The greatest amount that a grant covers, and in which currency. */
export interface AmountLimit {
  amount: string;
  currency: string;
}

export type Operators = ReturnType<typeof operatorsOf>;

export function operatorsOf(world: World) {
  const { cases, grants, hints, notes, nowMs, reached } = world;
  const book = bookOf(world, {
    id: "operators",
    dead: false,
    revision: 2,
    lagVersions: 0,
    instance: "operators",
    keys: world.keyring.now(),
  });
  const operators = memoryOperators(cases);
  const reports = reportsOf(world, book);
  let given = 0;
  /** For good. */
  const limited = new Set<string>();

  async function tell(finding: Finding): Promise<void> {
    if ((await cases.createFinding(finding)) !== "created") return;
    const { caseId, id } = finding;
    const hint = { tenantId, caseId, hintId: `told ${id}`, reason: "finding" };
    await hints.send("cases", hint).catch(expectTransient);
  }

  async function effects(): Promise<Effect[]> {
    const read = await Promise.all(
      world.options.businesses.map((_business, n) => cases.read(caseKeyOf(n))),
    );
    return read.flatMap(({ snapshot }) => snapshot.effects);
  }

  async function unknownEffects(): Promise<EffectOf<"unknown">[]> {
    return (await effects()).filter(
      (effect): effect is EffectOf<"unknown"> =>
        effect.status === "unknown" && effect.reviewRef !== undefined,
    );
  }

  async function give(action: string, forMs?: number, limit?: AmountLimit): Promise<void> {
    given += 1;
    const expiresAt =
      forMs === undefined ? {} : { expiresAt: new Date(nowMs() + forMs).toISOString() };
    const grant = {
      id: `given-${given}`,
      subject: workflowType,
      action,
      target: "*",
      limits: limit === undefined ? {} : { amount: limit.amount },
      ...(limit === undefined ? {} : { only: { currency: limit.currency } }),
    };
    const ports = { cases, grants, hints, book, nowMs, random: () => `give ${given}` };
    const request = { tenantId, grant: { ...grant, ...expiresAt }, principal };
    const result = await giveGrant(ports, request).catch(expectTransient);
    if (result?.kind === "given" && result.woken > 0) notes.happen("a grant woke a case");
    if (forMs !== undefined) world.clock.at(nowMs() + forMs, () => notes.happen("a grant ran out"));
  }

  async function revoke(action: string): Promise<void> {
    const ports = { cases, grants, hints, book, nowMs, random: () => "revoke" };
    for (const grant of await grants.list(tenantId)) {
      if (grant.action !== action || grant.revoked !== undefined) continue;
      await revokeGrant(ports, { tenantId, grantId: grant.id, reason: "test", principal });
    }
  }

  return {
    /** A look at the system, and a word about it. Without force only after the last horizon. */
    async state(how: StatedHow, n: number): Promise<boolean> {
      let told = false;
      for (const effect of await unknownEffects()) {
        const horizonMs = horizonOf(world, effect.provider);
        const overMs = Math.max(...effect.attempts.map(({ deadlineMs }) => deadlineMs ?? nowMs()));
        if (how !== "forced" && how !== "abandon" && nowMs() <= overMs + horizonMs) continue;
        const shown = reached.applied.find(({ operationId }) => operationId === effect.operationId);
        const found = how === "mistaken" ? undefined : shown;
        const statement: Statement =
          how === "abandon"
            ? { kind: "abandon" }
            : found === undefined
              ? { kind: "didNotHappen", forced: how === "forced" }
              : { kind: "happened", providerId: found.providerId };
        const finding = findingOf(effect, n, nowMs(), {
          kind: "statement",
          statement,
          reason: "looked",
          ...(how === "forced" ? { confirmedBy: "second person" } : {}),
        });
        notes.statements.push({ finding, forced: how === "forced" });
        await tell(finding);
        // What really happened comes to light.
        if (how === "mistaken" && shown !== undefined)
          world.clock.at(
            nowMs() + 20_000,
            () => void reports.report(shown, { n: n + 100, stage: "accepted" }),
          );
        told = true;
      }
      return told;
    },
    /** Whatever is open and may be answered so; the turn judges whether it may. */
    async resolve(how: ResolvedHow, n: number): Promise<boolean> {
      let told = false;
      for (const [caseN] of world.options.businesses.entries()) {
        const { snapshot } = await cases.read(caseKeyOf(caseN));
        for (const review of snapshot.reviews.filter((open) => isAnsweredBy(open, how))) {
          const { id: reviewId, subject: operationId } = review;
          const effect = snapshot.effects.find((one) => one.operationId === operationId);
          const about = { reviewId, attempts: effect?.attempts.length ?? 0 };
          const { caseId } = snapshot;
          const finding = findingOf({ caseId, operationId }, n, nowMs(), {
            kind: "statement",
            statement: statementOf(how),
            reason: "looked",
            about,
            ...(how === "retryForced" ? { confirmedBy: "second person" } : {}),
          });
          notes.statements.push({ finding, forced: how === "retryForced" });
          await tell(finding);
          told = true;
        }
      }
      return told;
    },
    /** The system's own webhook about something that it did. */
    async report(n: number): Promise<boolean> {
      const { applied } = reached;
      // What the record does not know of tells most.
      const known = await effects();
      const isKnown = (entry: AppliedHere) =>
        known.some((one) => one.operationId === entry.operationId && one.status === "confirmed");
      const entry =
        applied.find((one) => !isKnown(one)) ?? applied[n % Math.max(1, applied.length)];
      return entry !== undefined && reports.report(entry, { n, stage: "accepted" });
    },
    reports,
    /** Nothing of this action may be sent for so long; then it is granted again, perhaps not for good. */
    async revoke(action: string, forMs: number, thenForMs?: number): Promise<void> {
      await revoke(action);
      world.clock.at(nowMs() + forMs, () => void give(action, thenForMs));
    },
    /** From now on only so much of it may be sent; after a while, if ever, all of it again. */
    async limit(action: string, limit: AmountLimit, forMs: number | "good"): Promise<void> {
      await revoke(action);
      await give(action, undefined, limit);
      if (forMs === "good") limited.add(action);
      else world.clock.at(nowMs() + forMs, () => void give(action));
    },
    limitAll(limit: AmountLimit, forMs: number): void {
      for (const action of world.actions) void this.limit(action, limit, forMs);
    },
    async grantAll(): Promise<void> {
      for (const action of world.actions) if (!limited.has(action)) await give(action);
    },
    async erase(n: number): Promise<boolean> {
      const key = caseKeyOf(n);
      const result = await eraseCase({ cases, operators, book, nowMs }, { key, principal });
      if (result.kind === "refused") notes.happen("an erasure was refused");
      // One that was interrupted has erased something, too.
      if (result.kind !== "erased") return result.kind !== "missing";
      notes.happen("a case was erased");
      notes.erasures.push({ caseId: key.caseId, atMs: nowMs() });
      return true;
    },
    book,
  };
}

function horizonOf({ offered }: World, provider: string): number {
  return Object.entries(offered).find(([name]) => name === provider)?.[1].horizonMs ?? 0;
}

const isOnlySeen: readonly Review["kind"][] = [
  "Contradiction",
  "DeliverySilent",
  "EvidenceMismatch",
  "NotificationFailed",
];

function isAnsweredBy({ kind, subject }: Review, how: ResolvedHow): boolean {
  switch (how) {
    case "retry":
    case "retryForced":
    case "lookAgain":
      return subject !== "case" && kind !== "Contradiction" && kind !== "NoGrant";
    case "release":
      return kind === "CaseHeld";
    case "acknowledge":
      return isOnlySeen.includes(kind);
  }
}

function statementOf(how: ResolvedHow): Statement {
  switch (how) {
    case "retry":
    case "retryForced":
      return { kind: "retry", forced: how === "retryForced" };
    case "lookAgain":
    case "release":
    case "acknowledge":
      return { kind: how };
  }
}

function findingOf(
  effect: Pick<Effect, "caseId" | "operationId">,
  n: number,
  nowMs: number,
  content: Finding["content"],
): Finding {
  const { caseId, operationId } = effect;
  return {
    id: `finding:${operationId}:told${n}`,
    type: "finding",
    schemaVersion: 1,
    tenantId,
    caseId,
    operationId,
    content,
    by: "person",
    foundAtMs: nowMs,
    dueAtMs: nowMs + 15_000,
  };
}
