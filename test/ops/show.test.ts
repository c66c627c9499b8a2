// A table on a terminal: it fits where it can, and keeps whole what is pasted from it.
import { expect, test } from "vitest";
import { table } from "../../ops/cli/show.ts";

const id = "review:mm3ce5jtglul5lawgnajxvrplr:1";
const why =
  "the provider offers neither a key nor a look-up that could settle it, so a person looks";
const row = ["INV-20985", why, id];

test("its widest column wraps where the line ends, and an id stays whole", () => {
  const lines = table(["reference", "why", "review"], [row], "", 90).split("\n");
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(90);
  expect(lines.length).toBeGreaterThan(2);
  expect(lines.some((line) => line.includes(id))).toBe(true);
  for (const word of why.split(" ")) expect(lines.join(" ")).toContain(word);
});

test("what is written in wide characters is not cut off", () => {
  expect(table(["reference", "why"], [["請求書の差異", why]], "", 60)).toContain("請求書の差異");
});

test("in a pipe each row is one line", () => {
  const lines = table(["reference", "why", "review"], [row], "", undefined).split("\n");
  expect(lines).toHaveLength(2);
  expect(lines[1]).toBe(row.join("  "));
});
