// From a signed body to an event, or to a refusal that names the fields and is on record.
import { describe, expect, test } from "vitest";
import { readEvent } from "../../../shared/flow/intake/read-event.ts";
import { bodyOf, intakeWorld } from "./intake-world.ts";

describe("a body with a byte-order mark (cases.md 10)", () => {
  test("is the same event as the one without", async () => {
    const world = intakeWorld();
    const marked = Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(bodyOf())]);
    expect(await world.deliver(marked)).toMatchObject({ status: 202, said: { duplicate: false } });
    expect(await world.deliver(bodyOf())).toMatchObject({ status: 202, said: { duplicate: true } });
    expect(world.allEvents()).toHaveLength(1);
  });
});

describe("numbers that JavaScript would round (cases.md 11)", () => {
  test("stay apart, as text", async () => {
    const world = intakeWorld();
    for (const id of ["9007199254740993", "9007199254740992"]) {
      const body = bodyOf({ target_id: "#" }).replace('"#"', id);
      expect((await world.deliver(body, { id })).status).toBe(202);
    }
    expect(world.events().map(({ body }) => body["data"])).toMatchObject([
      { target_id: "9007199254740993" },
      { target_id: "9007199254740992" },
    ]);
  });
});

describe("a signed body that cannot be taken", () => {
  const twoDaysAhead = new Date(Date.now() + 2 * 86_400_000).toISOString();
  const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
  test.each([
    ["no JSON", "{oops", ["body"]],
    ["empty", "", ["body"]],
    ["no object", "[1]", ["body"]],
    ["without an envelope", "{}", ["type", "timestamp", "data"]],
    ["an unknown type", bodyOf({}, { type: "exception.closed" }), ["type"]],
    ["a type that every object has", bodyOf({}, { type: "constructor" }), ["type"]],
    ["no zone in its time", bodyOf({}, { timestamp: "2026-03-01T09:00:00" }), ["timestamp"]],
    ["a time two days ahead", bodyOf({}, { timestamp: twoDaysAhead }), ["timestamp"]],
    ["the end of time", bodyOf({}, { timestamp: "9999-12-31T23:59:59Z" }), ["timestamp"]],
    ["no such day", bodyOf({}, { timestamp: "2026-02-30T09:00:00Z" }), ["timestamp"]],
    ["data that is no object", bodyOf({}, { data: [] }), ["data"]],
    [
      "wrong fields",
      bodyOf({ reference: 5, lines: [{ billed: 1 }] }),
      ["data.reference", "data.lines[0].billed"],
    ],
    ["a lone surrogate", bodyOf({ lines: [{ billed: "\uD800" }] }), ["data.lines[0].billed"]],
    ["nested without end", deep, ["body"]],
    ["no UTF-8", Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]), ["body"]],
  ])("%s: 400 by field, and on record", async (_what, body, fields) => {
    const world = intakeWorld();
    const { status, headers, said } = await world.deliver(body);
    expect(status).toBe(400);
    expect(headers["content-type"]).toBe("application/problem+json");
    expect((said["errors"] as { field: string }[]).map(({ field }) => field)).toEqual(fields);
    expect(world.allEvents()).toEqual([]);
    expect(world.refusals()).toMatchObject([{ status: 400, source: "erp", eventId: "dlv-1" }]);
  });

  test("and cannot be put on record either: 503, so that it comes again", async () => {
    const world = intakeWorld();
    world.cases.hooks = { before: () => "lost" };
    expect((await world.deliver("{oops")).status).toBe(503);
    world.cases.hooks = {};
    expect((await world.deliver("{oops")).status).toBe(400);
    expect(world.refusals()).toHaveLength(1);
  });

  test("is one record, however often it comes", async () => {
    const world = intakeWorld();
    for (let n = 0; n < 3; n += 1) await world.deliver("{oops");
    await world.deliver("{oops again");
    expect(world.refusals()).toHaveLength(2);
  });
});

test("an event in which the workflow finds no reference is refused, and not thrown back for ever", () => {
  const workflow = intakeWorld().ports.book.workflows[0];
  if (workflow === undefined) throw new Error("no workflow");
  const nameless = { ...workflow, externalRefOf: () => undefined as unknown as string };
  expect(readEvent(nameless, Buffer.from(bodyOf()))).toMatchObject({
    kind: "broken",
    errors: [{ field: "data", detail: expect.stringContaining("names no case") }],
  });
});
