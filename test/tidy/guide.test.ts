// The guide for a team's own workflow quotes code that is compiled and run: what stands behind "From [file](path):" is in that file.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";

const page = join(import.meta.dirname, "..", "..", "shared", "workflows", "README.md");
const guide = readFileSync(page, "utf8");
const quotes = [...guide.matchAll(/^From \[[^\]]+\]\(([^)]+)\):\n\n```ts\n([\s\S]*?)```$/gm)];

test("each code block says which file it is from, and is in it word for word", () => {
  expect(quotes.length).toBe((guide.match(/^```ts$/gm) ?? []).length);
  expect(quotes.length).toBeGreaterThanOrEqual(3);
  for (const [, file = "", code = ""] of quotes) {
    const source = readFileSync(join(dirname(page), file), "utf8");
    expect([file, source.includes(code)]).toEqual([file, true]);
  }
});

test("fits a sitting: at most 120 lines", () => {
  expect(guide.split("\n").length).toBeLessThanOrEqual(121);
});
