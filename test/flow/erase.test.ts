// What must not be kept is erased, and what must never leak does not (design.md 3, 8).
import { describe, expect, test } from "vitest";
import { TransientFault } from "../../shared/domain/faults.ts";
import { eraseCase } from "../../shared/flow/operate/erase-case.ts";
import { planOfTwo } from "../domain/situations.ts";
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
  eraseCase({ cases: world.cases, book: world.book, nowMs: world.nowMs }, { key, principal });

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

test("a case in which anything can still happen is not erased", async () => {
  const world = newWorld({ decide: () => plan });
  world.bare.script = ["swallowed"];
  await world.post(1, { customer: marker });
  await world.run();
  expect(await erase(world)).toMatchObject({ kind: "refused", why: "mail.tell.v1 is unknown" });
});

test("no payload, target or fact appears in a log line, whatever goes wrong", async () => {
  const lines: string[] = [];
  const note = (message: string, fields: object) =>
    void lines.push(JSON.stringify({ message, ...fields }));
  const log = { info: note, warn: note, error: note };
  const boundaries = [
    "read",
    "look",
    "decide",
    "grants",
    "write",
    "scheduleHint",
    "gate",
    "send",
    "createFinding",
  ];
  for (const boundary of boundaries) {
    for (const fault of [new TransientFault("down"), new Error(`broken ${marker}`)]) {
      const world = newWorld({ decide: () => plan });
      world.keyed.script = ["appliedAndDropped", "refuses", "turnsAway"];
      await world.post(1, { customer: marker });
      let struck = false;
      const ports = world.worker({
        log,
        async at(name, act) {
          if (name === boundary && !struck) {
            struck = true;
            throw fault;
          }
          return act();
        },
      });
      await world.turn(ports).catch(() => {});
      world.advance(60_000);
      await world.turn(ports).catch(() => {});
    }
  }
  expect(lines.length).toBeGreaterThan(0);
  expect(lines.filter((line) => line.includes(marker))).toEqual([]);
});
