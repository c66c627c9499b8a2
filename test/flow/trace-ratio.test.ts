// Where only a share of traces is told: a chosen trace is whole, and whatever is in trouble is told whatever the share.
import { randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import { heardTelemetry } from "../memory/heard-telemetry.ts";
import { bodyOf, intakeWorld } from "./intake/intake-world.ts";
import { operatorsOf, unknownCase } from "./operate/operators.ts";
import { deliver, told } from "./told-worker.ts";
import { key, newWorld } from "./world.ts";

const none = { traceRatio: 0 };
const traceparentOf = (traceId: string) => `00-${traceId}-b7ad6b7169203331-01`;

describe("a share of traces", () => {
  test("is chosen by the trace's id: two workers tell the same ones, each whole, and about that many", async () => {
    const traceIds = Array.from({ length: 2000 }, () => randomBytes(16).toString("hex"));
    const workers = [heardTelemetry({ traceRatio: 0.2 }), heardTelemetry({ traceRatio: 0.2 })];
    for (const { telemetry } of workers) {
      for (const traceId of traceIds) {
        await telemetry.span("turn", { from: traceparentOf(traceId) }, async () => {
          await telemetry.span("claim", {}, async () => telemetry.mark("sent", {}));
        });
      }
    }
    const [one, other] = workers.map((worker) => {
      const spans = worker.spans().map((span) => `${span.spanContext().traceId} ${span.name}`);
      return spans.toSorted();
    });
    expect(one).toEqual(other);
    const chosen = new Set(one?.map((span) => span.slice(0, 32)));
    expect(one).toHaveLength(chosen.size * 3);
    // Six standard deviations.
    expect(Math.abs(chosen.size - 400)).toBeLessThan(110);
  });

  test("says of each span how many it stands for; what is told anyway stands for itself", async () => {
    const heard = heardTelemetry({ traceRatio: 0.25 });
    const { telemetry } = heard;
    const chosen = traceparentOf(`1${"0".repeat(31)}`);
    await telemetry.span("well", { from: chosen }, async () => {});
    await telemetry.span("wrong", { from: chosen }, async () => telemetry.keep());
    const rates = heard
      .spans()
      .map(({ attributes, name }) => [name, attributes["microsoft.sample_rate"]]);
    expect(rates).toEqual([
      ["well", 25],
      ["wrong", undefined],
    ]);
  });

  test("of all traces changes nothing, and each span is told when it ends", async () => {
    const heard = heardTelemetry();
    const { telemetry } = heard;
    await telemetry.span("turn", {}, async () => {
      await telemetry.span("read", {}, async () => {});
      expect(heard.spans().map(({ name }) => name)).toEqual(["read"]);
    });
    expect(heard.spans().map(({ attributes }) => attributes)).toEqual([{}, {}]);
  });
});

describe("what failed", () => {
  test("is told with all that its invocation did before, at the times when it was", async () => {
    const heard = heardTelemetry(none);
    const { telemetry } = heard;
    const failing = telemetry.span("turn", {}, async () => {
      await telemetry.span("read", {}, async () => {});
      const endedBeforeMs = Date.now();
      while (Date.now() < endedBeforeMs + 20);
      await telemetry.span("write", {}, () => Promise.reject(new Error("lost")));
    });
    await expect(failing).rejects.toThrow("lost");
    expect(heard.tree()).toEqual([{ turn: ["read", "write"] }]);
    const [read, write] = heard.spans();
    const msOf = ([s, ns]: [number, number]) => s * 1000 + ns / 1e6;
    expect(msOf(write?.startTime ?? [0, 0])).toBeGreaterThan(msOf(read?.endTime ?? [0, 0]) + 15);
  });

  test("is told of a webhook that was not taken, and not of one that was", async () => {
    const heard = heardTelemetry(none);
    const world = intakeWorld(undefined, [], heard.telemetry);
    expect((await world.deliver(bodyOf())).status).toBe(202);
    expect(heard.spans()).toEqual([]);
    world.cases.hooks = { before: () => "lost" };
    const refused = await world.deliver(bodyOf(), { id: "dlv-2" });
    expect(refused.status).toBe(503);
    expect(heard.spans().at(-1)?.name).toBe("intake");
  });
});

describe("a case", () => {
  test("that goes well is not told, its measurements are", async () => {
    const heard = heardTelemetry(none);
    const world = newWorld();
    await world.post(1);
    await deliver(world, told(world, heard));
    expect((await world.record()).status).toBe("done");
    expect(heard.spans()).toEqual([]);
    expect(await heard.metric("countersign.cases.completed")).toEqual({ "": 1 });
  });

  test("in trouble is told from the turn on in which it began, whole", async () => {
    const heard = heardTelemetry(none);
    const world = newWorld();
    world.bare.script = ["appliedAndDropped"];
    await world.post(1);
    await deliver(world, told(world, heard));
    const [unknown] = (await world.effects()).filter(({ status }) => status === "unknown");
    expect(unknown?.provider).toBe("bare");
    const turns = heard.spans().filter(({ name }) => name === "turn");
    expect(turns.length).toBeGreaterThan(0);
    // The effects before it, too: the turn is whole.
    const sent = heard.spans().filter(({ name }) => name === "send");
    expect(sent).toHaveLength(3);
    const before = heard.spans().length;
    await world.hints.send("cases", { ...key, hintId: "look", reason: "event" });
    await deliver(world, told(world, heard));
    expect(heard.spans().length).toBeGreaterThan(before);
  });

  test("whose first attempt was turned away is told, that turn and all that follow", async () => {
    const heard = heardTelemetry(none);
    const world = newWorld();
    world.keyed.script = ["turnsAway"];
    await world.post(1);
    await deliver(world, told(world, heard));
    expect((await world.record()).status).toBe("done");
    const names = heard.spans().filter(({ name }) => name === "send" || name === "commit");
    expect(names.map(({ name }) => name)).toEqual(["send", "send", "send", "commit", "send"]);
  });

  test("that waits for a person is told at each look, although nothing has gone wrong", async () => {
    const heard = heardTelemetry(none);
    const world = newWorld();
    await world.post(1);
    const ports = told(world, heard, { grants: { ...world.grants, candidates: async () => [] } });
    await deliver(world, ports);
    expect((await world.effects()).map(({ attempts, status }) => [attempts, status])).toEqual([
      [[], "prepared"],
      [[], "prepared"],
    ]);
    const turns = heard.spans().filter(({ name }) => name === "turn");
    expect(turns.length).toBeGreaterThan(1);
  });

  test("of which a person spoke is told from what he said on", async () => {
    const heard = heardTelemetry(none);
    const world = await unknownCase();
    while (world.hints.receive("cases")?.complete() !== undefined);
    const people = operatorsOf(world, heard.telemetry);
    const [review] = await people.reviews();
    await people.resolve(review?.id ?? "", { how: "happened", providerId: "P" });
    expect(heard.spans().map(({ name }) => name)).toContain("operate");
  });
});
