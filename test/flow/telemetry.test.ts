// What is told of a case is what became of it: one trace, counts of what stands, and nothing of what it is about.
import { describe, expect, test } from "vitest";
import { handleHint } from "../../shared/flow/wake/handle-hint.ts";
import { reconcileEffects } from "../../shared/flow/wake/reconcile-effects.ts";
import { sweepDue } from "../../shared/flow/wake/sweep-due.ts";
import { receiptFor } from "../domain/situations.ts";
import { heardTelemetry } from "../memory/heard-telemetry.ts";
import { bodyOf, intakeWorld } from "./intake/intake-world.ts";
import { operatorsOf, unknownCase } from "./operate/operators.ts";
import { deliver, told } from "./told-worker.ts";
import { key, mortal, newWorld, turnUntilDeath } from "./world.ts";

const marker = "MARKER-77aa";
const webhook = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

describe("the trace of a case", () => {
  test("leads from intake's hint through claim, gate and call to the commit, each under its cause", async () => {
    const heard = heardTelemetry();
    const world = newWorld();
    await world.post(1);
    await world.hints.send("cases", { ...key, hintId: "w", reason: "event", traceparent: webhook });
    world.hints.receive("cases")?.complete();
    await deliver(world, told(world, heard));
    const sent = ["gate", "send", "settle"];
    const [first] = heard.tree();
    expect(first).toEqual({
      turn: [
        "read",
        "foldEvent",
        { decide: ["decide"] },
        { claim: ["grants", "write", "hint", ...sent] },
        { claim: ["grants", "write", ...sent] },
        { commit: ["look"] },
        { claim: ["grants", "write", ...sent] },
        "write",
      ],
    });
    const [root] = heard.spans().filter(({ name }) => name === "turn");
    expect(root?.spanContext().traceId).toBe("0af7651916cd43dd8448eb211c80319c");
    expect(root?.parentSpanContext?.spanId).toBe("b7ad6b7169203331");
  });

  test("names case, operation, attempt and fence on the call, low-cardinality names, no target", async () => {
    const heard = heardTelemetry();
    const world = newWorld();
    await world.post(1);
    await deliver(world, told(world, heard));
    const claim = heard.spans().find(({ name }) => name === "claim");
    const [effect] = await world.effects();
    expect(claim?.attributes).toMatchObject({
      "countersign.caseKey": `${key.tenantId}:${key.caseId}`,
      "countersign.operationId": effect?.operationId,
      "countersign.provider": "keyed",
      "countersign.attempt": 1,
      "countersign.fence": 1,
    });
    const send = heard.spans().find(({ name }) => name === "send");
    expect(send?.attributes).toMatchObject({
      "countersign.operationId": effect?.operationId,
      "countersign.fence": 1,
    });
    const settle = heard.spans().find(({ name }) => name === "settle");
    expect(settle?.attributes).toMatchObject({
      "countersign.operationId": effect?.operationId,
      "countersign.answer": "receipt",
      "countersign.status": "confirmed",
    });
  });

  test("goes on in the hint that a back-off schedules, and ends where the next look is far off", async () => {
    const heard = heardTelemetry();
    const world = newWorld();
    world.keyed.script = ["turnsAway"];
    await world.post(1);
    await deliver(world, told(world, heard));
    expect((await world.record()).status).toBe("done");
    const turns = heard.spans().filter(({ name }) => name === "turn");
    expect(turns.length).toBeGreaterThan(1);
    expect(new Set(turns.map((turn) => turn.spanContext().traceId)).size).toBe(1);

    const held = newWorld();
    await held.post(1);
    const grants = { ...held.grants, candidates: async () => [] };
    const other = heardTelemetry();
    const turn = other.telemetry.span("turn", {}, () => held.turn(told(held, other, { grants })));
    await turn;
    const late = held.hints.waiting("cases").filter(({ hint }) => hint.reason === "due");
    expect(late.map(({ hint }) => hint.traceparent)).toEqual([undefined]);
  });

  test("begins anew with what a person says, and leads to what came of it", async () => {
    const heard = heardTelemetry();
    const world = await unknownCase();
    while (world.hints.receive("cases")?.complete() !== undefined);
    const people = operatorsOf(world, heard.telemetry);
    const [review] = await people.reviews();
    const told202 = await people.resolve(review?.id ?? "", { how: "happened", providerId: "P" });
    expect(told202.status).toBe(202);
    await deliver(world, told(world, heard));
    expect((await world.effects()).map(({ status }) => status)).toEqual(["confirmed"]);
    const [tree] = heard.tree();
    expect(JSON.stringify(tree)).toMatch(/^\{"operate":\[\{"hint":\[\{"turn":/);
  });

  test("is no trace that a sender made up badly", async () => {
    const heard = heardTelemetry();
    const ports = { telemetry: heard.telemetry };
    for (const from of ["", "00-x", `00-${"0".repeat(32)}-b7ad6b7169203331-01`, marker]) {
      await ports.telemetry.span("intake", { from }, async () => {});
    }
    expect(heard.spans().every(({ parentSpanContext }) => parentSpanContext === undefined)).toBe(
      true,
    );
    expect(await heard.everything()).not.toContain(marker);
  });
});

describe("what is counted", () => {
  test.each([true, false])(
    "is what stands in the ledger, whether in one batch or in several (fused: %s)",
    async (fused) => {
      const heard = heardTelemetry();
      const world = newWorld({ fused });
      world.bare.script = ["appliedAndDropped"];
      await world.post(1);
      await deliver(world, told(world, heard));
      expect(await heard.metric("countersign.effects.settled")).toEqual({
        "outcome=confirmed provider=keyed": 2,
        "outcome=unknown provider=bare": 1,
      });
      expect(await heard.metric("countersign.attempts")).toEqual({
        "answer=receipt provider=keyed": 2,
        "answer=noAnswer provider=bare": 1,
      });
      expect(await heard.metric("countersign.cases.completed")).toEqual({ "": 1 });
    },
  );

  test("takes a commit's time from the webhook, and every batch that stands, of all turns", async () => {
    const heard = heardTelemetry();
    const world = newWorld();
    await world.post(1);
    world.advance(7000);
    await deliver(world, told(world, heard));
    const seconds = (await heard.metric("countersign.commit.duration"))[""];
    expect(seconds).toBeGreaterThanOrEqual(6);
    expect(seconds).toBeLessThan(9);
    expect((await heard.metric("countersign.batches"))[""]).toBe(world.batches());
  });

  test("of duplicates is told by the place that absorbed each", async () => {
    const heard = heardTelemetry();
    const intake = intakeWorld(undefined, [], heard.telemetry);
    await intake.deliver(bodyOf());
    await intake.deliver(bodyOf());
    const world = newWorld();
    world.keyed.script = ["appliedAndDropped"];
    await world.post(1);
    await deliver(world, told(world, heard));
    await world.hints.send("cases", { ...key, hintId: "again", reason: "event" });
    await deliver(world, told(world, heard));
    expect(world.keyed.applied).toHaveLength(2);
    expect(await heard.metric("countersign.duplicates.absorbed")).toEqual({
      "place=intake": 1,
      "place=provider": 1,
      "place=hint": 1,
    });
  });

  test("of what was not taken is told by what was wrong, so that no sender gives up unnoticed", async () => {
    const heard = heardTelemetry();
    const intake = intakeWorld(undefined, [], heard.telemetry);
    await intake.deliver(bodyOf());
    await intake.deliver(bodyOf({ note: "other words" }));
    await intake.deliver(bodyOf({ reference: 7 }), { id: "dlv-2" });
    await intake.deliver(bodyOf(), { id: "dlv-3", signedBy: [] });
    expect(await heard.metric("countersign.deliveries.refused")).toEqual({
      "problem=event-id-reused": 1,
      "problem=invalid-body": 1,
      "problem=invalid-headers": 1,
    });
  });

  test("names the claim that came second as a duplicate that the ledger absorbed", async () => {
    const heard = heardTelemetry();
    const world = newWorld();
    await world.post(1);
    let isRival = false;
    const slow = told(world, heard, {
      async at(boundary, act) {
        if (boundary === "write" && !isRival) {
          isRival = true;
          await world.turn();
        }
        return act();
      },
    });
    await deliver(world, slow);
    expect(world.keyed.applied).toHaveLength(2);
    expect(await heard.metric("countersign.duplicates.absorbed")).toMatchObject({
      "place=claim": 1,
    });
  });

  test("is how each turn ended: left to newer code, put off by an outage, failed", async () => {
    const heard = heardTelemetry();
    const world = newWorld();
    await world.post(1);
    const { snapshot } = await world.cases.read(key);
    const ports = told(world, heard);
    const message = { caseKey: `${key.tenantId}:${key.caseId}`, hintId: "h", reason: "event" };
    const options = {
      queue: "cases",
      deliveryCount: 1,
      wallClockMs: 0,
      random: () => "r",
    } as const;
    world.cases.hooks = { before: () => Promise.reject(new Error("defect")) };
    await expect(handleHint(ports, message, options)).rejects.toThrow("defect");
    world.cases.hooks = {};
    await handleHint(ports, message, options);
    expect(snapshot.events).toHaveLength(1);
    expect(await heard.metric("countersign.turns")).toEqual({
      "result=failed": 1,
      "result=idle": 1,
    });
  });
});

describe("the sweep", () => {
  test("tells what is unresolved: an unknown effect is counted, with its age and its review", async () => {
    const heard = heardTelemetry();
    const world = newWorld();
    world.bare.script = ["appliedAndDropped"];
    await world.post(1);
    await world.run();
    const ports = world.worker({ telemetry: heard.telemetry });
    world.advance(600_000);
    await sweepDue(ports, { wallClockMs: world.nowMs() });
    expect(await heard.metric("countersign.sweep.runs")).toEqual({ "": 1 });
    expect(await heard.metric("countersign.unknown.count")).toEqual({ "": 1 });
    expect((await heard.metric("countersign.unknown.oldest_age"))[""]).toBeGreaterThanOrEqual(600);
    expect(await heard.metric("countersign.reviews.open")).toEqual({ "": 1 });
    expect((await heard.metric("countersign.reviews.oldest_age"))[""]).toBeGreaterThanOrEqual(590);
    expect(await heard.metric("countersign.cases.unresolved")).toEqual({ "": 1 });
  });

  test("tells zero where nothing is unresolved, so that an old value never stands", async () => {
    const heard = heardTelemetry();
    const world = newWorld();
    await sweepDue(world.worker({ telemetry: heard.telemetry }), { wallClockMs: world.nowMs() });
    for (const name of [
      "countersign.unknown.count",
      "countersign.unknown.oldest_age",
      "countersign.reviews.open",
      "countersign.reviews.oldest_age",
      "countersign.cases.unresolved",
    ] as const) {
      expect([name, await heard.metric(name)]).toEqual([name, { "": 0 }]);
    }
  });

  test("counts an effect that was given up, and lets it age no more", async () => {
    const heard = heardTelemetry();
    const world = newWorld();
    world.bare.script = ["appliedAndDropped"];
    await world.post(1);
    await world.run();
    const unknown = (await world.effects()).find(({ status }) => status === "unknown");
    world.cases.plant(key, { ...unknown, abandonedBy: "ana" } as unknown as { id: string });
    world.advance(600_000);
    const ports = world.worker({ telemetry: heard.telemetry });
    await sweepDue(ports, { wallClockMs: world.nowMs() });
    expect(await heard.metric("countersign.unknown.count")).toEqual({ "": 1 });
    expect(await heard.metric("countersign.unknown.oldest_age")).toEqual({ "": 0 });
  });

  test("asks the store for nothing more where nobody listens", async () => {
    const world = newWorld();
    const asked: string[] = [];
    world.cases.hooks = { before: ({ operation }) => void asked.push(operation) };
    await sweepDue(world.worker(), { wallClockMs: world.nowMs() });
    expect(asked).toEqual(["due"]);
  });

  test("that cannot count still wakes what is due", async () => {
    const heard = heardTelemetry();
    const world = newWorld();
    await world.post(1);
    world.hints.receive("cases")?.complete();
    world.advance(60_000);
    world.cases.hooks = {
      before: ({ operation }) => {
        if (operation === "unresolved") throw new Error("no answer");
      },
    };
    const ports = world.worker({ telemetry: heard.telemetry });
    expect(await sweepDue(ports, { wallClockMs: world.nowMs() })).toMatchObject({ toCases: 1 });
    expect(await heard.metric("countersign.sweep.runs")).toEqual({ "": 1 });
  });
});

describe("the feed's reader", () => {
  test("counts an open contradiction, and how late it reads", async () => {
    const heard = heardTelemetry();
    const world = newWorld();
    world.keyed.script = ["refuses"];
    await world.post(1);
    await world.run();
    const [effect] = await world.effects();
    if (effect === undefined) throw new Error("no effect");
    await world.report(receiptFor(effect, "P-9"));
    await world.turn();
    const { documents } = world.cases.changesSince(0);
    world.advance(90_000);
    await reconcileEffects(world.worker({ telemetry: heard.telemetry }), documents);
    expect(await heard.metric("countersign.effects.contradicted")).toEqual({ "": 1 });
    expect(await heard.metric("countersign.invariants.broken")).toEqual({});
    expect((await heard.metric("countersign.feed.lag"))[""]).toBeGreaterThanOrEqual(90);
  });

  test("counts a record that no path of the code can produce", async () => {
    const heard = heardTelemetry();
    const world = newWorld();
    await world.post(1);
    await turnUntilDeath(world, mortal(world, { boundary: "gate", when: "before" }));
    const claimed = world.cases.stored(key).find(({ type }) => type === "case");
    world.cases.plant(key, { ...claimed, claim: undefined } as unknown as { id: string });
    const { documents } = world.cases.changesSince(0);
    await reconcileEffects(world.worker({ telemetry: heard.telemetry }), documents);
    expect(await heard.metric("countersign.invariants.broken")).toEqual({ "": 1 });
  });
});

test("neither spans nor measurements repeat a payload, a target, a fact or a reference", async () => {
  const heard = heardTelemetry();
  const action = (name: string) => ({ action: name, target: marker, payload: { to: marker } });
  const world = newWorld({
    decide: () => ({
      kind: "plan",
      why: marker,
      actions: [action("keyed.first.v1"), action("keyed.second.v1")],
      nextStatus: "done",
      notifications: [action("mail.tell.v1")],
    }),
  });
  world.keyed.script = ["appliedAndDropped", "turnsAway"];
  world.bare.script = ["appliedAndDropped"];
  const intake = intakeWorld(undefined, [], heard.telemetry);
  await intake.deliver(bodyOf({ reference: marker, customer: marker }), { id: marker });
  await world.post(1, { customer: marker });
  await deliver(world, told(world, heard));
  await sweepDue(told(world, heard), { wallClockMs: world.nowMs() });
  await reconcileEffects(told(world, heard), world.cases.changesSince(0).documents);
  expect(JSON.stringify(world.cases.stored(key))).toContain(marker);
  expect(await heard.everything()).not.toContain(marker);
});
