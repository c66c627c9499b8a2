// The rules of the house that no linter holds: sizes per room, links that lead somewhere, one registration a function file, and
// nothing skipped.
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";

const root = join(import.meta.dirname, "..", "..");
const files = globSync(
  ["functions", "shared", "local", "ops", "test"].map((room) => `${room}/**/*.{ts,tsx}`),
  {
    cwd: root,
  },
);
const source = (file: string) => readFileSync(join(root, file), "utf8");

describe("a file", () => {
  test("of the app has at most 250 lines, of local and test at most 400", () => {
    const tooLong = files.filter((file) => {
      const lines = source(file).split("\n").length - 1;
      return lines > (/^(local|test)\//.test(file) ? 400 : 250);
    });
    expect(tooLong).toEqual([]);
  });

  test("of the app and of local opens by saying what it is", () => {
    const silent = files.filter(
      (file) => !file.startsWith("test/") && !source(file).startsWith("//"),
    );
    expect(silent).toEqual([]);
  });

  test("skips nothing and silences nothing", () => {
    const banned =
      /\b(it|test|describe)\.(only|skip|todo)\b|@ts-(ignore|nocheck)|\bTODO\b|\bFIXME\b/;
    const self = "test/tidy/tidy.test.ts";
    expect(files.filter((file) => file !== self && banned.test(source(file)))).toEqual([]);
  });
});

test("each function file registers one function, under its own name", () => {
  for (const file of files.filter((one) => one.startsWith("functions/"))) {
    const names = [...source(file).matchAll(/^app\.\w+\(\s*"([^"]+)"/gm)].map(([, name]) => name);
    expect([file, names]).toEqual([file, [file.slice("functions/".length, -".ts".length)]]);
  }
});

test("the settings example names every setting that the app reads, and no other of its own", () => {
  const example = JSON.parse(source("local.settings.json.example")) as { Values: object };
  const own = (name: string) =>
    /^[A-Z][A-Z_]*_[A-Z_]*$/.test(name) && !name.startsWith("FUNCTIONS_");
  const settings = [
    "shared/config.ts",
    "shared/agent/model-settings.ts",
    "shared/telemetry/telemetry-config.ts",
    "shared/provider-settings.ts",
  ]
    .map(source)
    .join("");
  // The platform alone names its instances; the other one is refused wherever it is set.
  const notOurs = ["WEBSITE_INSTANCE_ID", "OPENAI_CUSTOM_HEADERS"];
  const read = [...settings.matchAll(/\b[A-Z][A-Z_]*_[A-Z_]*\b/g)].map(String);
  const names = new Set(read.filter((name) => !notOurs.includes(name)));
  expect(Object.keys(example.Values).filter(own).toSorted()).toEqual([...names].toSorted());
});

test("the links of every page lead to files", () => {
  for (const page of globSync(["*.md", "{local,ops,shared,test}/**/*.md"], { cwd: root })) {
    const targets = [...source(page).matchAll(/\]\(([^)#:]+)(#[^)]*)?\)/g)].map(
      ([, target]) => target ?? "",
    );
    const missing = targets.filter((target) => !existsSync(join(root, dirname(page), target)));
    expect([page, missing]).toEqual([page, []]);
  }
});

test("ARCHITECTURE stays under 250 lines", () => {
  expect(source("ARCHITECTURE.md").split("\n").length).toBeLessThan(250);
});

test("each published failure that is the app's own has a test that names it", () => {
  const numbers = [
    4, 5, 9, 10, 11, 14, 15, 17, 18, 19, 22, 24, 25, 32, 33, 35, 36, 37, 38, 40, 41, 42,
  ];
  const later = [
    45, 46, 49, 50, 51, 52, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65, 68, 69, 70, 72, 74,
  ];
  const tests = files.filter((one) => /^test\/.*\.(test|contract)\.ts$/.test(one)).map(source);
  const named = new Set(
    tests
      .flatMap((text) => [...text.matchAll(/cases\.md ((?:\d+(?:, )?)+)/g)])
      .flatMap(([, list]) => (list ?? "").split(", ").map(Number)),
  );
  expect([...numbers, ...later].filter((number) => !named.has(number))).toEqual([]);
});
