// A provider's own webhook is evidence about an effect, never a fact of the case (design.md 5, rule 3; cases.md 54).
import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { caseKeyText } from "../../../shared/domain/identity.ts";
import { recordReport, type ReportRecorded } from "../../../shared/flow/intake/record-report.ts";
import { email } from "../../../shared/providers/email.ts";
import { key, newWorld, type World } from "../world.ts";

const { report = () => undefined } = email({
  baseUrl: "http://127.0.0.1:1",
  token: "t",
  from: "a@example.org",
});

interface Told {
  type?: string;
  id?: string;
  operation?: string;
  to?: string;
  eventId?: string;
  tenantId?: string;
  /** As a mail system gives our headers back. */
  headers?: Record<string, unknown>;
}

async function tell(world: World, told: Told = {}): Promise<ReportRecorded> {
  const effect = (await world.effects()).at(-1);
  const { type = "message.delivered", id = "bare-1", eventId = "r1", tenantId = "acme" } = told;
  const headers = {
    "X-Operation-Id": told.operation ?? effect?.operationId,
    "X-Case-Key": caseKeyText(key),
    ...told.headers,
  };
  const content = Buffer.from(
    JSON.stringify({ type, timestamp: "2026-11-29T12:00:00Z", data: { id, headers, to: told.to } }),
  );
  const recorded = await recordReport(
    { ...world, random: () => eventId },
    {
      provider: { ...world.bare, report },
      source: { name: "mail-webhooks", tenantId },
      eventId,
      content,
      digest: createHash("sha256").update(content).digest("hex"),
      receivedAtMs: world.nowMs(),
    },
  );
  await world.run();
  return recorded;
}

const mail = async (world: World) => (await world.effects()).at(-1);

async function told(...script: World["bare"]["script"]): Promise<World> {
  const world = newWorld();
  world.bare.script = script;
  await world.post(1);
  await world.run();
  return world;
}

describe("a report of a message that was accepted", () => {
  test("shows it delivered, once, however often it is told", async () => {
    const world = await told();
    expect(await tell(world)).toEqual({ kind: "recorded", duplicate: false });
    expect(await tell(world)).toEqual({ kind: "recorded", duplicate: true });
    expect(await mail(world)).toMatchObject({
      status: "confirmed",
      receipt: { stage: "delivered" },
    });
    expect((await world.record()).version).toBe(2);
  });

  test("that bounced opens a review", async () => {
    const world = await told();
    await tell(world, { type: "message.bounced" });
    expect((await mail(world))?.status).toBe("confirmed");
    expect((await world.reviews()).map(({ kind }) => kind)).toEqual(["NotificationFailed"]);
  });

  test("under another id of the provider is a contradiction: it was sent twice", async () => {
    const world = await told();
    await tell(world, { id: "bare-9" });
    expect((await mail(world))?.contradicted).toBeDefined();
  });
});

describe("a report of a message that nobody could prove", () => {
  test("confirms it and resolves its review; nothing is sent again", async () => {
    const world = await told("appliedAndDropped");
    expect(await mail(world)).toMatchObject({ status: "unknown" });
    await tell(world);
    expect(await mail(world)).toMatchObject({ status: "confirmed", settledBy: "finding" });
    expect(await world.reviews()).toEqual([]);
    expect(world.bare.received).toHaveLength(1);
  });

  test("and bounced: it was sent, nobody has it, and a person is told so", async () => {
    const world = await told("appliedAndDropped");
    await tell(world, { type: "message.bounced" });
    expect(await mail(world)).toMatchObject({ status: "confirmed", receipt: { stage: "failed" } });
    expect((await world.reviews()).map(({ kind }) => kind)).toEqual(["NotificationFailed"]);
    expect(world.bare.received).toHaveLength(1);
  });

  test("that overtakes the worker's own record of its call settles it, once", async () => {
    const world = newWorld();
    world.bare.duringCall = async () => {
      world.bare.duringCall = undefined;
      await tell(world, { type: "message.bounced" });
    };
    await world.post(1);
    await world.turn();
    await world.run();
    expect(await mail(world)).toMatchObject({ status: "confirmed", receipt: { stage: "failed" } });
    expect((await world.reviews()).map(({ kind }) => kind)).toEqual(["NotificationFailed"]);
    expect(world.bare.received).toHaveLength(1);
  });

  test("to the same address in other letters' case, as mail systems write it, confirms it", async () => {
    const world = await told("appliedAndDropped");
    await tell(world, { to: "A@Example.ORG" });
    expect(await mail(world)).toMatchObject({ status: "confirmed", settledBy: "finding" });
    expect(await world.reviews()).toEqual([]);
  });

  test("with our headers' names in small letters is ours", async () => {
    const world = await told("appliedAndDropped");
    const operation = (await mail(world))?.operationId;
    const headers = { "x-operation-id": operation, "x-case-key": caseKeyText(key) };
    await tell(world, {
      headers: { "X-Operation-Id": undefined, "X-Case-Key": undefined, ...headers },
    });
    expect(await mail(world)).toMatchObject({ status: "confirmed", settledBy: "finding" });
  });

  test("that names our operation and cannot be read must come again", async () => {
    const world = await told("appliedAndDropped");
    const headers = { "X-Case-Key": undefined };
    await expect(tell(world, { headers })).rejects.toThrow("in: headers.x-case-key.");
    expect((await mail(world))?.status).toBe("unknown");
  });

  test("to somebody else confirms nothing", async () => {
    const world = await told("appliedAndDropped");
    await tell(world, { to: "b@example.org" });
    expect((await mail(world))?.status).toBe("unknown");
  });
});

describe("a report that is not ours", () => {
  test.each<[string, Told, string]>([
    ["of an operation that is not known", { operation: "a".repeat(26) }, "kept"],
    ["signed for another tenant", { tenantId: "globex" }, "kept"],
    ["without our headers", { headers: { "X-Operation-Id": undefined } }, "notOurs"],
    ["whose header of ours is empty", { headers: { "X-Operation-Id": null } }, "notOurs"],
    ["of a kind that nobody knows", { type: "message.opened" }, "notOurs"],
  ])("%s touches no case", async (_what, change, kind) => {
    const world = await told();
    const before = world.batches();
    expect(await tell(world, change)).toMatchObject({ kind });
    expect(world.batches()).toBe(before);
  });
});
