// What would be deployed is complete, and holds nothing else.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { unzipSync } from "fflate";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { packageApp, type Packaged } from "../../infra/scripts/package-app.ts";
import { runOneCase } from "./run-one-case.ts";

describe("the deployable zip", () => {
  let folder: string;
  let packaged: Packaged;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "package-"));
    packaged = packageApp(folder);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test("holds host.json, package.json and the bundle: no source, no test, no sample, no setting", () => {
    const names = Object.keys(unzipSync(readFileSync(packaged.zipFile)));
    expect(names).toContain("host.json");
    expect(names).toContain("package.json");
    expect(names).toContain("dist/main.js");
    expect(names).toContain("dist/console/index.html");
    expect(names.filter((name) => !/^(host\.json|package\.json|dist\/.+)$/.test(name))).toEqual([]);
    expect(names.filter((name) => /\.(ts|map)$|samples|settings\.json/.test(name))).toEqual([]);
  });

  test("is the same for the same build", () => {
    const first = readFileSync(packaged.zipFile);
    const again = packageApp(join(folder, "again"));
    expect(readFileSync(again.zipFile).equals(first)).toBe(true);
  });

  test("runs a case by itself, far from any node_modules", async () => {
    const proof = await runOneCase({ appFolder: packaged.appFolder, nodePath: process.execPath });
    expect(Object.values(proof.applied)).toEqual([1, 1, 1]);
  }, 60_000);
});
