// Intake: what becomes of one delivery, and what its sender is told.
import { describe, expect, test } from "vitest";
import { TransientFault } from "../../shared/domain/faults.ts";
import { parseCaseKey } from "../../shared/domain/identity.ts";
import { signedBytesMax } from "../../shared/flow/intake/record-event.ts";
import { bodyOf, defaultSources, intakeWorld, newSecret, secrets } from "./intake/intake-world.ts";

describe("a signed delivery", () => {
  test("is one event of its case, due in 15 s, and a hint", async () => {
    const world = intakeWorld();
    const { status, said, log } = await world.deliver(bodyOf({ amount: "12.00" }));
    const { tenantId, caseId } = world.keyOf("R-1");
    expect(status).toBe(202);
    expect(said).toEqual({ tenantId, caseId, eventId: "dlv-1", duplicate: false });
    expect(log).toMatchObject({
      source: "erp",
      eventId: "dlv-1",
      caseKey: `${tenantId}:${caseId}`,
      secretName: "first",
      duplicate: false,
    });
    const [event] = world.events();
    expect(event).toMatchObject({
      id: "event:erp:dlv-1",
      eventType: "exception.raised",
      workflow: "exception",
      externalRef: "R-1",
      orderKey: "2026-03-01T09:00:00.000000000Z",
      body: { type: "exception.raised", data: { reference: "R-1", amount: "12.00" } },
    });
    expect(event && event.dueAtMs).toBe((event?.receivedAtMs ?? 0) + 15_000);
    expect(world.hintsWaiting()).toMatchObject([{ tenantId, caseId, reason: "event" }]);
  });

  test("that comes 50 times at once is one event, and one answer is not a duplicate", async () => {
    const world = intakeWorld();
    const body = bodyOf();
    const answers = await Promise.all(Array.from({ length: 50 }, () => world.deliver(body)));
    expect(answers.map(({ status }) => status)).toEqual(Array(50).fill(202));
    expect(answers.filter(({ said }) => said["duplicate"] === false)).toHaveLength(1);
    expect(world.allEvents()).toHaveLength(1);
  });

  test("that comes again hints again while nobody has folded its event, and not after", async () => {
    const world = intakeWorld();
    await world.deliver(bodyOf());
    expect((await world.deliver(bodyOf())).said).toMatchObject({ duplicate: true });
    expect(world.hintsWaiting()).toHaveLength(2);
    const [event] = world.events();
    if (event === undefined) throw new Error("no event was recorded");
    const folded = { atMs: 1, how: "merged", version: 1 } as const;
    world.cases.plant(world.keyOf("R-1"), { ...event, folded } as { id: string });
    expect((await world.deliver(bodyOf())).said).toMatchObject({ duplicate: true });
    expect(world.hintsWaiting()).toHaveLength(2);
  });

  test("under a known id with another body is 409, keeps the first, and is on record", async () => {
    const world = intakeWorld();
    await world.deliver(bodyOf({ amount: "1.00" }));
    const { status, said } = await world.deliver(bodyOf({ amount: "2.00" }));
    expect(status).toBe(409);
    expect(said).toMatchObject({ type: "urn:countersign:problem:event-id-reused" });
    expect(world.events()).toMatchObject([{ body: { data: { amount: "1.00" } } }]);
    expect(world.refusals()).toMatchObject([{ status: 409, eventId: "dlv-1", source: "erp" }]);
  });

  test("that was written anew for its second sending, its keys in another order, is the same event", async () => {
    const world = intakeWorld();
    const body = JSON.parse(bodyOf({ amount: "1.00" })) as { data: object };
    const data = Object.fromEntries(Object.entries(body.data).toReversed());
    const anew = Object.fromEntries(Object.entries({ ...body, data }).toReversed());
    await world.deliver(JSON.stringify(body));
    const { said, status } = await world.deliver(JSON.stringify(anew, undefined, 2));
    expect([status, said]).toMatchObject([202, { duplicate: true }]);
    expect(world.events()).toHaveLength(1);
    expect(world.refusals()).toEqual([]);
  });

  test("with an id that no document can have is recorded under its digest, apart from all others", async () => {
    const world = intakeWorld();
    const ids = ["a/b", "a\\b", "a#b?", "ä b", "a.b:c_d-E"];
    for (const id of ids) await world.deliver(bodyOf({ note: id }), { id });
    const events = world.events();
    expect(events.map(({ eventId }) => eventId).toSorted()).toEqual(ids.toSorted());
    for (const { id } of events) expect(id).toMatch(/^event:erp:(~[0-9a-f]{64}|a\.b:c_d-E)$/);
    expect((await world.deliver(bodyOf({ note: "a/b" }), { id: "a/b" })).said).toMatchObject({
      duplicate: true,
    });
  });

  test("carries its time in UTC, to the nanosecond, so that text compares as time", async () => {
    const world = intakeWorld();
    const stamps = [
      "2026-03-01T10:00:00+01:00",
      "2026-03-01T09:00:00.5Z",
      "2026-03-01T09:00:00.5000001Z",
    ];
    for (const [n, timestamp] of stamps.entries()) {
      await world.deliver(bodyOf({}, { timestamp }), { id: `dlv-${n}` });
    }
    const byId = world.events().toSorted((a, b) => a.id.localeCompare(b.id));
    expect(byId.map(({ orderKey }) => orderKey)).toEqual([
      "2026-03-01T09:00:00.000000000Z",
      "2026-03-01T09:00:00.500000000Z",
      "2026-03-01T09:00:00.500000100Z",
    ]);
  });
});

describe("a hint that cannot be sent (cases.md 4)", () => {
  test("leaves the event recorded and due, and the sender is told 202", async () => {
    const world = intakeWorld();
    world.hints.beforeSend = () => {
      throw new TransientFault("the broker is down");
    };
    expect((await world.deliver(bodyOf(), { id: "dlv-d1" })).status).toBe(202);
    const nowMs = Date.now() + 16_000;
    expect(await world.cases.due({ nowMs, max: 10, from: "oldest" })).toMatchObject([
      { documentId: "event:erp:dlv-d1" },
    ]);
    expect(world.logged.map(({ message }) => message)).toEqual([
      "hint not sent; the sweep finds the event",
    ]);
    world.hints.beforeSend = undefined;
    expect((await world.deliver(bodyOf(), { id: "dlv-d1" })).said).toMatchObject({
      duplicate: true,
    });
    expect(world.hintsWaiting()).toHaveLength(1);
    expect(world.events()).toHaveLength(1);
  });
});

describe("a store that does not say whether it wrote", () => {
  test("is asked again, and finds its own write", async () => {
    const world = intakeWorld();
    let calls = 0;
    world.cases.hooks = {
      after: ({ operation }) =>
        operation === "createEvent" && (calls += 1) === 1 ? "unanswered" : undefined,
    };
    const { status, said } = await world.deliver(bodyOf());
    expect([status, said["duplicate"]]).toEqual([202, false]);
    expect(world.events()).toHaveLength(1);
    expect(world.hintsWaiting()).toHaveLength(1);
  });

  test.each([
    ["never answers", () => "lost" as const],
    [
      "answers that it cannot",
      () => {
        throw new TransientFault("throttled");
      },
    ],
  ])("and %s: 503, and sending again later is safe", async (_what, before) => {
    const world = intakeWorld();
    world.cases.hooks = { before };
    const { status, headers, said } = await world.deliver(bodyOf());
    expect(status).toBe(503);
    expect(headers).toMatchObject({ "retry-after": "5" });
    expect(said["detail"]).toContain("under the same webhook-id");
    expect(world.hintsWaiting()).toEqual([]);
    world.cases.hooks = {};
    expect((await world.deliver(bodyOf())).said).toMatchObject({ duplicate: false });
  });
});

describe("a delivery without an id of its own (cases.md 5)", () => {
  test.each([
    ["none", null],
    ["an empty one", ""],
    ["blank", "  "],
    ["null", "null"],
    ["undefined", "undefined"],
    ["None", "None"],
    ["[object Object]", "[object Object]"],
    ["one of 201 characters", "x".repeat(201)],
  ])("is 400 and names the header: %s", async (_what, id) => {
    const world = intakeWorld();
    for (const amount of ["1.00", "2.00"]) {
      const answer = await world.deliver(bodyOf({ amount }), { headers: { "webhook-id": id } });
      expect(answer.status).toBe(400);
      expect(answer.said["errors"]).toMatchObject([{ field: "webhook-id" }]);
    }
    expect(world.allEvents()).toEqual([]);
    // Two signed bodies are two records; without any id there is no signature to check.
    expect(world.refusals()).toHaveLength((id ?? "").trim() === "" ? 0 : 2);
  });

  test("an id of exactly 200 characters is one", async () => {
    const world = intakeWorld();
    expect((await world.deliver(bodyOf(), { id: "x".repeat(200) })).status).toBe(202);
  });
});

describe("a body over 256 KB (cases.md 14)", () => {
  const sized = (bytes: number): string => {
    const body = bodyOf({ note: "" });
    return bodyOf({ note: "x".repeat(bytes - body.length) });
  };

  test("is 413 and on record when it is signed", async () => {
    const world = intakeWorld();
    const body = sized(300 * 1024);
    for (let n = 0; n < 2; n += 1) expect((await world.deliver(body)).status).toBe(413);
    expect(world.refusals()).toMatchObject([
      { status: 413, eventId: "dlv-1", bodyBytes: body.length },
    ]);
    expect(world.refusals()[0]?.ttl).toBe(90 * 86_400);
    expect(world.allEvents()).toEqual([]);
  });

  test.each([
    ["unsigned", { signedBy: [newSecret()] }],
    ["without headers", { headers: { "webhook-id": null } }],
  ])("is 413 and leaves nothing when it is %s", async (_what, sent) => {
    const world = intakeWorld();
    expect((await world.deliver(sized(300 * 1024), sent)).status).toBe(413);
    expect(world.cases.changesSince(0).documents).toEqual([]);
  });

  test("and far over it is not even hashed, so it is logged and not on record", async () => {
    const world = intakeWorld();
    const { status, log } = await world.deliver(Buffer.alloc(signedBytesMax + 1));
    expect([status, log["bodyBytes"]]).toEqual([413, signedBytesMax + 1]);
    expect(world.refusals()).toEqual([]);
  });

  test("begins one byte after 262,144", async () => {
    const world = intakeWorld();
    expect((await world.deliver(sized(262_144))).status).toBe(202);
    expect((await world.deliver(sized(262_145), { id: "dlv-2" })).status).toBe(413);
  });
});

describe("a long reference (cases.md 15)", () => {
  test("names its own case, whatever it shares with another, spaces and all", async () => {
    const world = intakeWorld();
    const stem = "x".repeat(150);
    const references = [
      stem + "a".repeat(50),
      stem + "b".repeat(50),
      "y".repeat(129),
      "z",
      "z ",
      "z  ",
    ];
    const caseIds = new Set<unknown>();
    for (const [n, reference] of references.entries()) {
      const { status, said } = await world.deliver(bodyOf({ reference }), { id: `dlv-${n}` });
      expect(status).toBe(202);
      expect(parseCaseKey(`${String(said["tenantId"])}:${String(said["caseId"])}`)).toBeDefined();
      caseIds.add(said["caseId"]);
      expect(world.events(reference)).toMatchObject([{ externalRef: reference }]);
    }
    expect(caseIds.size).toBe(references.length);
  });

  test.each([0, 513])("of %d characters is 400 and says what would do", async (length) => {
    const world = intakeWorld();
    const { status, said } = await world.deliver(bodyOf({ reference: "x".repeat(length) }));
    expect(status).toBe(400);
    expect(said["errors"]).toMatchObject([
      { field: "data", detail: expect.stringContaining("1 to 512") },
    ]);
  });
});

describe("two tenants (cases.md 17)", () => {
  test("with references that join to the same text have cases of their own", async () => {
    const world = intakeWorld();
    const ten = { source: "erp-ten", signedBy: [secrets.t10] };
    await world.deliver(bodyOf({ reference: "05" }));
    await world.deliver(bodyOf({ reference: "5" }), ten);
    await world.deliver(bodyOf({ reference: "R-1" }), { id: "dlv-2" });
    await world.deliver(bodyOf({ reference: "R-1" }), { ...ten, id: "dlv-2" });
    const keys = world.allEvents().map(({ tenantId, caseId }) => `${tenantId}:${caseId}`);
    expect(new Set(keys).size).toBe(4);
    expect(new Set(world.allEvents().map(({ caseId }) => caseId)).size).toBe(4);
  });

  test("cannot write for one another, whatever their bodies say", async () => {
    const world = intakeWorld();
    const { status } = await world.deliver(bodyOf({ tenantId: "t10" }), { source: "erp-ten" });
    expect(status).toBe(401);
    await world.deliver(bodyOf({}, { tenantId: "t10", source: "erp-ten" }));
    expect(world.allEvents()).toMatchObject([{ tenantId: "t1", source: "erp" }]);
  });
});

describe("two sources of one tenant", () => {
  const two = {
    ...defaultSources,
    "erp-b": {
      tenantId: "t1",
      workflow: "exception",
      secrets: [{ name: "b", secret: secrets.t1 }],
    },
  };

  test("that give one id to what they tell of one case are two events of it, each once", async () => {
    const world = intakeWorld(two);
    for (const source of ["erp", "erp-b", "erp", "erp-b"]) {
      expect(await world.deliver(bodyOf({ note: source }), { source })).toMatchObject({
        status: 202,
      });
    }
    expect(world.events().map(({ eventId, source }) => `${source} ${eventId}`)).toEqual([
      "erp dlv-1",
      "erp-b dlv-1",
    ]);
  });

  test.each(["refresh", "investigate"])(
    "may not be named %s, as the app's own events are",
    (name) => {
      expect(() => intakeWorld({ ...two, [name]: two["erp-b"] })).toThrow("the app uses itself");
    },
  );
});

describe("a source that is not there", () => {
  test.each(["other", "__proto__", "constructor", ""])("%j is 404", async (source) => {
    const world = intakeWorld();
    expect(await world.deliver(bodyOf(), { source })).toMatchObject({ status: 404 });
  });

  test("or whose workflow this code does not have: 503", async () => {
    const { erp } = defaultSources;
    const world = intakeWorld({ erp: { ...erp, workflow: "gone" } } as typeof defaultSources);
    expect(await world.deliver(bodyOf())).toMatchObject({ status: 503 });
  });
});

describe("a problem", () => {
  test("tells neither payload nor secret nor stack, and nor does the log", async () => {
    const world = intakeWorld();
    const marker = "payload-marker";
    const told: unknown[] = [];
    const sends: [string | Buffer, Parameters<typeof world.deliver>[1]][] = [
      [bodyOf({ note: marker }), {}],
      [bodyOf({ note: `${marker}2` }), {}],
      [`{"${marker}": oops`, {}],
      [bodyOf({ reference: [marker] }), {}],
      [bodyOf({ note: `${marker}\uD800` }), {}],
      [bodyOf({}, { timestamp: marker }), {}],
      [bodyOf({ note: marker }), { signedBy: [newSecret()] }],
      [bodyOf({ note: marker }), { ageSeconds: 999 }],
      [bodyOf({ note: marker.repeat(40_000) }), {}],
      [bodyOf({ note: marker }), { source: "other" }],
      [bodyOf({ note: marker }), { headers: { "webhook-signature": null } }],
    ];
    for (const [body, sent] of sends) {
      const { text, log, status } = await world.deliver(body, sent);
      told.push(status, text, log);
    }
    world.cases.hooks = { before: () => "lost" };
    const { text, log, status } = await world.deliver(bodyOf({ note: marker }), { id: "dlv-9" });
    told.push(status, text, log, world.logged, world.refusals());
    const all = JSON.stringify(told);
    expect(told.filter((one) => typeof one === "number")).toEqual([
      202, 409, 400, 400, 400, 400, 401, 401, 413, 404, 400, 503,
    ]);
    expect(all).not.toContain(marker);
    expect(all).not.toContain(secrets.t1.slice(6));
    expect(all).not.toMatch(/\bat .*\.(ts|js):\d+/);
  });
});
