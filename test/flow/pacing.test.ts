import { describe, expect, test } from "vitest";
import type { Answer } from "../../shared/domain/records/evidence.ts";
import { pacing } from "../../shared/flow/turn/pacing.ts";
import { planOf } from "../domain/situations.ts";
import { newWorld } from "./world.ts";

const limits = { concurrencyMax: 2, silencesMax: 3, coolMs: 10_000 };
const silence = { kind: "noAnswer", reason: "reset" } as const;

describe("a provider that is silent", () => {
  test("is left alone after three calls in a row, tried once when it has cooled, and used again when it answers", () => {
    let nowMs = 0;
    const pace = pacing(() => nowMs, limits);
    const call = () => {
      const admission = pace.admit("p");
      if (admission.kind !== "go") throw new Error("not admitted");
      return admission;
    };
    for (let n = 0; n < 3; n += 1) call().done(silence);
    expect(pace.admit("p")).toEqual({ kind: "later", inMs: 10_000 });
    expect(pace.admit("other").kind).toBe("go");
    nowMs = 10_000;
    const trial = call();
    expect(pace.admit("p").kind).toBe("later");
    trial.done({ kind: "refused", reason: "no", speaksForOperation: false });
    expect(pace.admit("p").kind).toBe("go");
  });

  test("because nothing reaches it is left alone, too, and a call that was not made says nothing of it", () => {
    const pace = pacing(() => 0, limits);
    const said = (answer: Answer | undefined) => {
      const admission = pace.admit("p");
      if (admission.kind === "go") admission.done(answer);
      return admission.kind;
    };
    const unreached = { kind: "notSent", reason: "no connection" } as const;
    const asked = [unreached, undefined, unreached, undefined, unreached, undefined].map(said);
    expect(asked).toEqual(["go", "go", "go", "go", "go", "later"]);
  });

  test("is not left alone for calls that were not in a row", () => {
    const pace = pacing(() => 0, limits);
    const answer = { kind: "refused", reason: "no", speaksForOperation: false } as const;
    for (const heard of [silence, silence, answer, silence, silence]) {
      const admission = pace.admit("p");
      if (admission.kind === "go") admission.done(heard);
    }
    expect(pace.admit("p").kind).toBe("go");
  });

  test("is asked for two calls at a time, and for a third when one is done", () => {
    const pace = pacing(() => 0, limits);
    const first = pace.admit("p");
    pace.admit("p");
    expect(pace.admit("p").kind).toBe("later");
    if (first.kind === "go") first.done(undefined);
    expect(pace.admit("p").kind).toBe("go");
  });

  test("that is full is not asked for by a whole crowd twice a second: who comes later waits longer, within a bound", () => {
    const pace = pacing(() => 0, limits);
    const [first] = [pace.admit("p"), pace.admit("p")];
    const waits = Array.from({ length: 200 }, () => {
      const admission = pace.admit("p");
      return admission.kind === "later" ? admission.inMs : 0;
    });
    expect(waits.slice(0, 4)).toEqual([500, 500, 1000, 1000]);
    expect(waits.at(-1)).toBe(30_000);
    if (first?.kind === "go") first.done(undefined);
    expect(pace.admit("p").kind).toBe("go");
  });

  test("costs no claim, no write and no attempt while the breaker is open", async () => {
    const world = newWorld();
    const pace = pacing(world.nowMs, { ...limits, silencesMax: 1 });
    const admission = pace.admit("keyed");
    if (admission.kind === "go") admission.done(silence);
    await world.post(1);
    const ports = world.worker({ pacing: pace });
    expect(await world.turn(ports)).toMatchObject({ kind: "waiting" });
    const planned = await world.effects();
    expect(planned.map(({ status, attempts }) => [status, attempts.length])).toEqual([
      ["prepared", 0],
      ["prepared", 0],
    ]);
    expect(world.keyed.received).toEqual([]);
    await world.run(ports);
    expect((await world.record()).status).toBe("done");
    expect(world.keyed.applied).toHaveLength(2);
  });

  test("keeps nobody but its own effects waiting: a plan goes on while its notification waits", async () => {
    const mark = { action: "keyed.second.v1", target: "T-1", payload: {} };
    const tell = { action: "mail.tell.v1", target: "a@example.org", payload: {} };
    const world = newWorld({
      decide: ({ version }) =>
        version === 1
          ? planOf([{ ...mark, action: "keyed.first.v1" }], {
              nextStatus: "open",
              notifications: [tell],
            })
          : planOf([mark]),
    });
    const pace = pacing(world.nowMs, { ...limits, concurrencyMax: 1 });
    const busy = pace.admit("bare");
    await world.post(1);
    const ports = world.worker({ pacing: pace });
    expect(await world.turn(ports)).toMatchObject({ kind: "waiting" });
    expect(world.keyed.applied.map(({ action }) => action)).toEqual([
      "keyed.first.v1",
      mark.action,
    ]);
    expect((await world.record()).status).toBe("done");
    expect(world.bare.received).toEqual([]);
    if (busy.kind === "go") busy.done(undefined);
    await world.run(ports);
    expect(world.bare.applied).toHaveLength(1);
  });
});
