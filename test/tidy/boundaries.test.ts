// An await without a name is a place where no crash test can stop a worker. So every await of a turn either names its
// boundary through `ports.at`, or calls a function of these same files, which does.
import { describe, expect, test } from "vitest";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import {
  boundariesInSource,
  flowFolder,
  sourceOf,
  turnFiles,
  turnFolders,
} from "../crash/boundaries.ts";

const sources = new Map(turnFiles.map((file) => [file, withoutComments(sourceOf(file))] as const));
const functions = new Set(
  [...sources.values()].flatMap((source) =>
    [...source.matchAll(/(?:^|\n)(?:export )?(?:async )?function (\w+)/g)].map(([, name]) => name),
  ),
);

function withoutComments(source: string): string {
  return source.replaceAll(/\/\*[\s\S]*?\*\//g, "").replaceAll(/^\s*\/\/.*$/gm, "");
}

/** What stands behind each `await` that is neither `ports.at(` nor a call of a turn's own function. */
function unnamedAwaits(source: string): string[] {
  return [...source.matchAll(/\bawait\s+([\w.]+)\s*(?:<[^>]*>)?\(?/g)]
    .map(([, callee = ""]) => callee)
    .filter((callee) => callee !== "ports.at" && !functions.has(callee));
}

describe("every await of a turn", () => {
  test.each(turnFiles)("in %s names its boundary or calls what does", (file) => {
    const source = sources.get(file) ?? "";
    expect(unnamedAwaits(source)).toEqual([]);
    // Each await has been understood, and none hides in another form.
    const awaits = source.match(/\bawait\b/g) ?? [];
    expect(awaits).toHaveLength((source.match(/\bawait\s+[\w.]+\s*(?:<[^>]*>)?\(/g) ?? []).length);
    expect(source).not.toMatch(/\.then\(|for await/);
  });

  test("is judged in every file that a turn is made of", () => {
    const inFlow = turnFolders.flatMap((folder) =>
      readdirSync(join(flowFolder, folder))
        .filter((name) => name.endsWith(".ts"))
        .map((name) => `${folder}/${name.slice(0, -3)}`),
    );
    const using = inFlow.filter((file) => withoutComments(sourceOf(file)).includes("ports.at("));
    expect(using.sort()).toEqual([...turnFiles].sort());
  });

  test("is known by a name of its own kind", () => {
    expect(boundariesInSource().length).toBeGreaterThanOrEqual(16);
  });
});

describe("the rule itself", () => {
  test("sees an await that goes to a store without a name", () => {
    expect(unnamedAwaits("await ports.cases.read(key)")).toEqual(["ports.cases.read"]);
    expect(unnamedAwaits('await ports.at("read", () => ports.cases.read(key))')).toEqual([]);
    expect(unnamedAwaits("await workflow.decide(view)")).toEqual(["workflow.decide"]);
  });
});
