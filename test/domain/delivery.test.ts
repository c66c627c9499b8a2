// Accepted is not delivered: what a provider reports later changes the stage, and a bounce waits for a person.
import { describe, expect, test } from "vitest";
import type { Receipt } from "../../shared/domain/records/evidence.ts";
import type { Snapshot } from "../../shared/domain/records/snapshot.ts";
import { foldFindings } from "../../shared/domain/transitions/fold-findings.ts";
import { book, claimedCase, firstOf, key, nowMs, receiptFor, settled } from "./situations.ts";

const accepted = settled(claimedCase(), "receipt");
const { operationId } = firstOf(accepted);

function reported(from: Snapshot, stage: Receipt["stage"], providerId = "P-1"): Snapshot {
  const receipt = { ...receiptFor(firstOf(from), providerId), stage };
  const finding = {
    id: `finding:${operationId}:${stage}:${from.findings.length}`,
    type: "finding",
    schemaVersion: 1,
    ...key,
    operationId,
    content: { kind: "providerReport", receipt },
    by: "mail-provider",
    foundAtMs: nowMs,
  } as const;
  const arrived = { ...from, findings: [...from.findings, finding] };
  return foldFindings(arrived, operationId, { book, nowMs });
}

function stageOf(snapshot: Snapshot): string {
  const effect = firstOf(snapshot);
  return effect.status === "confirmed" ? effect.receipt.stage : effect.status;
}

const reviewKinds = (snapshot: Snapshot) => snapshot.reviews.map(({ kind }) => kind);

describe("a message that the provider has accepted (cases.md 54)", () => {
  test("is shown as accepted until a report says more", () => {
    expect(stageOf(accepted)).toBe("accepted");
    expect(stageOf(reported(accepted, "delivered"))).toBe("delivered");
  });

  test("and that bounces is failed, stays confirmed as sent, and waits for a person", () => {
    const bounced = reported(accepted, "failed");
    expect(stageOf(bounced)).toBe("failed");
    expect(reviewKinds(bounced)).toEqual(["NotificationFailed"]);
    expect(firstOf(bounced).reviewRef).toBe(bounced.reviews[0]?.id);
  });

  test("and that bounced twice has one review, and no older report makes it good", () => {
    const again = reported(reported(reported(accepted, "failed"), "failed"), "delivered");
    expect(stageOf(again)).toBe("failed");
    expect(reviewKinds(again)).toEqual(["NotificationFailed"]);
  });

  test("and that bounces after it was called delivered is failed", () => {
    expect(stageOf(reported(reported(accepted, "delivered"), "failed"))).toBe("failed");
  });

  test("under another provider id is a contradiction, not a stage", () => {
    const other = reported(accepted, "delivered", "P-2");
    expect(stageOf(other)).toBe("accepted");
    expect(reviewKinds(other)).toEqual(["Contradiction"]);
  });
});
