// What must not be kept is erased, and what must never leak does not (design.md 3, 8).
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { Workflow } from "../../shared/domain/definitions.ts";
import { TerminalFault, TransientFault } from "../../shared/domain/faults.ts";
import type { Finding } from "../../shared/domain/records/evidence.ts";
import { eraseCase } from "../../shared/flow/operate/cases/erase-case.ts";
import type { Log } from "../../shared/flow/turn/turn.ts";
import { memoryOperators } from "../memory/memory-operators.ts";
import { planOfTwo, receiptFor } from "../domain/situations.ts";
import { key, newWorld, type World } from "./world.ts";

const marker = "MARKER-5f2d";
const principal = { id: "p-admin", isPerson: true, roleClaims: ["admin"] };

const plan = {
  ...planOfTwo,
  actions: [
    { action: "keyed.first.v1", target: marker, payload: { to: marker } },
    { action: "keyed.second.v1", target: marker, payload: { to: marker } },
  ],
  notifications: [{ action: "mail.tell.v1", target: marker, payload: { text: marker } }],
} as typeof planOfTwo;

async function closed(): Promise<World> {
  const world = newWorld({ decide: () => plan });
  world.keyed.script = ["appliedAndDropped"];
  await world.post(1, { customer: marker });
  await world.run();
  return world;
}

const erase = (world: World) =>
  eraseCase(
    {
      cases: world.cases,
      operators: memoryOperators(world.cases),
      book: world.book,
      nowMs: world.nowMs,
    },
    { key, principal },
  );

describe("a closed case that is erased", () => {
  test("keeps ids, digests, statuses and times, and nothing that was said", async () => {
    const world = await closed();
    const before = await world.effects();
    expect(JSON.stringify(world.cases.stored(key))).toContain(marker);
    expect(await erase(world)).toMatchObject({ kind: "erased" });
    expect(JSON.stringify(world.cases.stored(key))).not.toContain(marker);
    const after = await world.effects();
    const kept = ({ operationId, payloadDigest, status }: (typeof before)[number]) => [
      operationId,
      payloadDigest,
      status,
    ];
    expect(after.map(kept)).toEqual(before.map(kept));
    expect(await world.record()).toMatchObject({ status: "done", erased: { by: "p-admin" } });
  });

  test("is left alone by every later turn, and erasing it again takes nothing more", async () => {
    const world = await closed();
    await erase(world);
    const sends = world.keyed.received.length;
    await world.turn();
    expect(world.keyed.received).toHaveLength(sends);
    await erase(world);
    expect((await world.record()).status).toBe("done");
  });

  test("goes on where it stood when a write was lost", async () => {
    const world = await closed();
    world.cases.hooks = { before: ({ operation }) => (operation === "write" ? "lost" : undefined) };
    expect(await erase(world)).toEqual({ kind: "again" });
    world.cases.hooks = {};
    expect(await erase(world)).toMatchObject({ kind: "erased" });
    expect(JSON.stringify(world.cases.stored(key))).not.toContain(marker);
  });
});

async function toldLate(world: World, operationId: string, content: Finding["content"]) {
  const id = `finding:${operationId}:${content.kind}:${world.batches()}`;
  const told = { id, type: "finding", schemaVersion: 1, ...key, operationId, content } as const;
  await world.cases.createFinding({ ...told, by: "late", foundAtMs: world.nowMs() });
  await world.turn();
}

describe("after a case was erased", () => {
  test("an event that still arrives changes nothing, is not kept, and the case rests again", async () => {
    const world = await closed();
    await erase(world);
    const before = await world.record();
    await world.post(2, { customer: marker });
    await world.run();
    expect(JSON.stringify(world.cases.stored(key))).not.toContain(marker);
    const { facts, status, version } = await world.record();
    expect({ facts, status, version }).toEqual({
      facts: {},
      status: "done",
      version: before.version,
    });
    await world.post(3, { customer: marker });
    await world.run();
    // A person sees once that something was told, and can say so.
    const [review, ...others] = (await world.cases.read(key)).snapshot.reviews;
    expect([review?.kind, others]).toEqual(["FactsChangedAfterEnd", []]);
    await toldLate(world, "case", {
      kind: "statement",
      statement: { kind: "acknowledge" },
      reason: marker,
      about: { reviewId: review?.id ?? "", attempts: 0 },
    });
    expect(await world.reviews()).toEqual([]);
    expect(JSON.stringify(world.cases.stored(key))).not.toContain(marker);
    const due = { nowMs: world.nowMs() + 86_400_000, max: 10, from: "oldest" as const };
    expect(await world.cases.due(due)).toEqual([]);
    expect((await world.cases.head(key)).unfolded).toEqual([]);
  });

  test("a second receipt under another id is still a contradiction, without its words", async () => {
    const world = await closed();
    await erase(world);
    const [effect] = await world.effects();
    if (effect === undefined) throw new Error("no effect");
    const receipt = receiptFor(effect, "P-9");
    const boundTo = { ...receipt.boundTo, target: marker };
    await world.report({ ...receipt, stage: "delivered", boundTo, content: { to: marker } });
    await world.turn();
    expect((await world.effects())[0]?.contradicted).toBeDefined();
    expect((await world.reviews()).map(({ kind }) => kind)).toEqual(["Contradiction"]);
    expect(JSON.stringify(world.cases.stored(key))).not.toContain(marker);
    expect((await world.cases.head(key)).unfolded).toEqual([]);
  });

  test("a worker that was frozen, whatever it heard, leaves none of its words", async () => {
    const world = await closed();
    await erase(world);
    const operationId = (await world.effects())[0]?.operationId ?? "";
    const boundTo = { operationId: "other", target: marker, payloadDigest: "0".repeat(64) };
    const stage = "delivered" as const;
    const receipt = { stage, providerId: "P-9", boundTo, content: { to: marker } };
    const nothing = { kind: "noAnswer", reason: marker } as const;
    const other = { kind: "receipt", receipt } as const;
    for (const answer of [nothing, other])
      await toldLate(world, operationId, { kind: "attemptEnd", attempt: 1, answer });
    expect((await world.reviews()).map(({ kind }) => kind)).toEqual(["EvidenceMismatch"]);
    expect(JSON.stringify(world.cases.stored(key))).not.toContain(marker);
    expect((await world.cases.head(key)).unfolded).toEqual([]);
  });
});

test("a case in which anything can still happen is not erased", async () => {
  const world = newWorld({ decide: () => plan });
  world.bare.script = ["swallowed"];
  await world.post(1, { customer: marker });
  await world.run();
  expect(await erase(world)).toMatchObject({ kind: "refused", why: "mail.tell.v1 is unknown" });
});

test("a case of which a delivery is not reported yet is not erased: nobody could tell whom it did not reach", async () => {
  const world = newWorld({ decide: () => plan, deliverySilenceMs: 3_600_000 });
  await world.post(1, { customer: marker });
  await world.run();
  const why =
    "the delivery of mail.tell.v1 is not reported yet; by 2026-11-29T13:00:00.000Z it is, or a review says that it is not";
  expect(await erase(world)).toEqual({ kind: "refused", why });
  world.advance(3_600_000);
  await world.turn();
  expect((await world.reviews()).map(({ kind }) => kind)).toEqual(["DeliverySilent"]);
  expect(await erase(world)).toMatchObject({ kind: "erased" });
});

test("a case of which evidence lies unfolded is not erased: what it proves would be gone", async () => {
  const world = await closed();
  const [effect] = await world.effects();
  if (effect === undefined) throw new Error("no effect");
  await world.report(receiptFor(effect, "P-9"));
  expect(await erase(world)).toMatchObject({ kind: "refused", why: "a finding is not folded yet" });
  await world.turn();
  expect((await world.reviews()).map(({ kind }) => kind)).toEqual(["Contradiction"]);
  expect(await erase(world)).toMatchObject({ kind: "erased" });
  expect((await world.effects())[0]?.contradicted).toBeDefined();
});

describe("a case that went through everything", () => {
  test("has its marker in every kind of document before, and in none once it is erased", async () => {
    const world = await wentThroughEverything();
    const kinds = (documents: ReturnType<World["cases"]["stored"]>) => [
      ...new Set(documents.map(({ type }) => String(type))),
    ];
    const marked = world.cases.stored(key).filter((one) => JSON.stringify(one).includes(marker));
    expect(kinds(marked).toSorted()).toEqual([
      "approval",
      "case",
      "checkpoint",
      "effect",
      "event",
      "finding",
      "log",
      "refusal",
      "review",
    ]);
    const payloads = () => world.cases.stored(key).filter(({ type }) => type === "payload");
    const ciphertexts = payloads().map(({ ciphertext }) => String(ciphertext));
    expect(ciphertexts).toHaveLength(2);

    expect(await erase(world)).toMatchObject({ kind: "erased" });
    const left = JSON.stringify(world.cases.stored(key));
    for (const secret of [marker, ...ciphertexts]) expect(left).not.toContain(secret);
    // What would have ended by itself ends at once.
    world.advance(2000);
    expect(kinds(world.cases.stored(key))).not.toContain("payload");
    expect(kinds(world.cases.stored(key))).not.toContain("checkpoint");
  });

  test("is erased as a whole by the next call, wherever the first one broke off", async () => {
    for (let writes = 0; writes < 3; writes += 1) {
      const world = await wentThroughEverything();
      let written = 0;
      world.cases.hooks = {
        before: ({ operation }) =>
          operation === "write" && (written += 1) > writes ? "lost" : undefined,
      };
      await erase(world);
      world.cases.hooks = {};
      world.advance(2000);
      expect(await erase(world)).toMatchObject({ kind: "erased" });
      expect(JSON.stringify(world.cases.stored(key))).not.toContain(marker);
    }
  });

  test("is erased although one of its effects stays unknown, once a person has given that up", async () => {
    const world = await wentThroughEverything();
    const [effect] = await world.effects();
    if (effect === undefined) throw new Error("no effect");
    const open = { ...effect, status: "unknown", reason: marker, unknownSinceMs: 1 };
    world.cases.plant(key, open);
    expect(await erase(world)).toMatchObject({ kind: "refused" });
    const givenUp = { ...open, abandonedBy: "p-ana" };
    world.cases.plant(key, givenUp);
    expect(await erase(world)).toMatchObject({ kind: "erased" });
    expect(JSON.stringify(world.cases.stored(key))).not.toContain(marker);
  });
});

/** Asked and answered, checkpointed, refused a delivery, lost a call, was reviewed and contradicted; all with the marker. */
async function wentThroughEverything(): Promise<World> {
  const decide: Workflow["decide"] = async (_view, { memo }) => {
    await memo("proposal", z.string(), async () => marker);
    return { ...plan, why: marker };
  };
  const world = newWorld({
    decide,
    approve: ["keyed.first.v1"],
    sensitive: ["keyed.first.v1", "mail.tell.v1"],
  });
  world.keyed.script = ["ok", "appliedAndDropped"];
  await world.post(1, { customer: marker });
  await world.run();
  const { snapshot } = await world.cases.read(key);
  const [approval] = snapshot.approvals;
  const answer = {
    answerId: "a1",
    decision: "approve",
    by: "p-ana",
    atMs: 1,
    reason: marker,
  } as const;
  await world.cases.answerApproval(key, { id: approval?.id ?? "", answer });
  await world.turn();
  await world.run();
  const tell = (await world.effects()).at(-1);
  if (tell === undefined) throw new Error("no notification");
  const { operationId, payloadDigest, target } = tell;
  for (const [n, boundTo] of [
    { operationId, payloadDigest, target },
    { operationId, payloadDigest, target: marker },
  ].entries()) {
    const receipt = {
      stage: "failed",
      providerId: `P${n}`,
      boundTo,
      content: { note: marker },
    } as const;
    await world.report(receipt);
  }
  await world.cases.createRefusal({
    id: "refusal:src:e9",
    type: "refusal",
    schemaVersion: 1,
    ...key,
    source: "src",
    eventId: "e9",
    status: 400,
    why: `look at data.${marker}`,
    bodyDigest: "0".repeat(64),
    bodyBytes: 12,
    receivedAtMs: 1,
    ttl: 86_400 * 30,
  });
  await world.turn();
  const review = (await world.reviews())[0];
  if (review === undefined) throw new Error("no review");
  const resolution = { how: `stated: ${marker}`, by: "p-ana", atMs: 1, reason: marker };
  const resolved = { ...review, resolution };
  world.cases.plant(key, resolved);
  const held = { reason: "EventRefused", detail: marker, reviewRef: "review:case:9" } as const;
  const isHeld = { ...(await world.record()), held };
  world.cases.plant(key, isHeld);
  return world;
}

describe.each([[[]], [["keyed.first.v1", "keyed.second.v1", "mail.tell.v1"]]])(
  "with %j sensitive",
  (sensitive) => {
    test("no payload, target or fact appears in a log line, whatever goes wrong", async () => {
      const lines: string[] = [];
      const note = (message: string, fields: object) =>
        void lines.push(JSON.stringify({ message, ...fields }));
      const log = { info: note, warn: note, error: note };
      for (const boundary of boundaries) {
        for (const fault of [
          new TransientFault("down"),
          new TerminalFault("no"),
          new Error(`broken ${marker}`),
        ]) {
          await strike({ boundary, fault, log, sensitive });
        }
      }
      for (const spoilt of [
        { ciphertext: "" },
        { ciphertext: "AAAA" },
        { keyId: "k0" },
        { nonce: 7 },
      ]) {
        await strike({ spoilt, log, sensitive });
      }
      expect(lines.length).toBeGreaterThan(0);
      expect(lines.filter((line) => line.includes(marker))).toEqual([]);
    });
  },
);

const boundaries = [
  "read",
  "look",
  "decide",
  "readPayload",
  "grants",
  "write",
  "scheduleHint",
  "drainFlag",
  "gate",
  "send",
  "createFinding",
];

/** Two turns, of which one is struck or finds its payloads spoilt, against providers that repeat what they were sent. */
async function strike(how: {
  boundary?: string;
  fault?: Error;
  spoilt?: object;
  log: Log;
  sensitive: readonly string[];
}): Promise<void> {
  const { boundary, fault, log, sensitive, spoilt } = how;
  const world = newWorld({ decide: () => plan, fused: false, sensitive });
  world.keyed.script = ["appliedAndDropped", "refuses", "turnsAway"];
  await world.post(1, { customer: marker });
  let struck = false;
  const ports = world.worker({
    log,
    async at(name, act) {
      if (name === "grants" && spoilt !== undefined) {
        for (const stored of world.cases.stored(key)) {
          if (stored["type"] === "payload") world.cases.plant(key, { ...stored, ...spoilt });
        }
      }
      if (name === boundary && fault !== undefined && !struck) {
        struck = true;
        throw fault;
      }
      return act();
    },
  });
  await world.turn(ports).catch(() => {});
  world.advance(60_000);
  await world.turn(ports).catch(() => {});
  if (sensitive.length === 0) return;
  const { snapshot } = await world.cases.read(key);
  // The ledger, its reviews and its history show a reference only; target and facts are the case's own.
  const shown = [snapshot.effects.map(({ target: _own, ...effect }) => effect), snapshot.reviews];
  expect(JSON.stringify(shown)).not.toContain(marker);
}
