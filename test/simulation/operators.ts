// The people around a deployment: who states what became of an effect, who grants and who revokes, and the systems that
// report by webhook. They see what they could see: the record, and what the system shows.
import type { Effect, EffectOf } from "../../shared/domain/records/effect.ts";
import type { Finding, Statement } from "../../shared/domain/records/evidence.ts";
import { receiptOf } from "./providers.ts";
import { grantFor, tenantId, type World } from "./world.ts";

export function operatorsOf(world: World) {
  async function tell(finding: Finding): Promise<void> {
    if ((await world.cases.createFinding(finding)) !== "created") return;
    const { caseId, id } = finding;
    await world.hints
      .send("cases", { tenantId, caseId, hintId: `told ${id}`, reason: "finding" })
      .catch(() => {});
  }

  async function unknownEffects(): Promise<EffectOf<"unknown">[]> {
    const { cases } = await world.testimony(false);
    const effects: Effect[] = cases.flatMap(({ final }) => final?.snapshot.effects ?? []);
    return effects.filter(
      (effect): effect is EffectOf<"unknown"> =>
        effect.status === "unknown" && effect.reviewRef !== undefined,
    );
  }

  return {
    /** A look at the system, and a word about it. Without force only after the last horizon. */
    async state(how: "honest" | "forced" | "abandon", n: number): Promise<boolean> {
      let told = false;
      for (const effect of await unknownEffects()) {
        const nowMs = world.nowMs();
        const horizonMs = world.horizonMsOf(effect.provider);
        const overMs = Math.max(...effect.attempts.map(({ deadlineMs }) => deadlineMs ?? nowMs));
        if (how === "honest" && nowMs <= overMs + horizonMs) continue;
        const found = world.reached.applied.find(
          ({ operationId }) => operationId === effect.operationId,
        );
        const statement: Statement =
          how === "abandon"
            ? { kind: "abandon" }
            : found === undefined
              ? { kind: "didNotHappen", forced: how === "forced" }
              : { kind: "happened", providerId: found.providerId };
        const finding = findingOf(effect, n, nowMs, {
          kind: "statement",
          statement,
          reason: "looked",
          ...(how === "forced" ? { confirmedBy: "second person" } : {}),
        });
        world.notes.statements.push({ finding, forced: how === "forced" });
        await tell(finding);
        told = true;
      }
      return told;
    },
    /** The system's own webhook about something that it did. */
    async report(n: number): Promise<boolean> {
      const { applied } = world.reached;
      const entry = applied[n % Math.max(1, applied.length)];
      if (entry === undefined) return false;
      const { cases } = await world.testimony(false);
      const effects = cases.flatMap(({ final }) => final?.snapshot.effects ?? []);
      const effect = effects.find(({ operationId }) => operationId === entry.operationId);
      if (effect === undefined) return false;
      await tell(
        findingOf(effect, n, world.nowMs(), { kind: "providerReport", receipt: receiptOf(entry) }),
      );
      return true;
    },
    revoke(action: string, forMs: number): boolean {
      const nowMs = world.nowMs();
      world.grants.grant({
        ...grantFor(action),
        revoked: { by: "p", atMs: nowMs, reason: "test" },
      });
      world.clock.at(nowMs + forMs, () => world.grants.grant(grantFor(action)));
      return true;
    },
    grantAll(): void {
      for (const action of world.actions) world.grants.grant(grantFor(action));
    },
  };
}

function findingOf(effect: Effect, n: number, nowMs: number, content: Finding["content"]): Finding {
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
