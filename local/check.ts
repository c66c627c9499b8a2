// Every check of the project, in the order in which they are quickest to fail: `npm test`.
// Ends with the plain line `N passed, N failed`, which any runner can read.
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const bin = join(root, "node_modules", ".bin");
const reportPath = join(root, ".local", "vitest.json");

function check(title: string, command: string, args: string[]): boolean {
  console.log(`\n== ${title}`);
  const done = spawnSync(join(bin, command), args, { cwd: root, stdio: "inherit" });
  if (done.error !== undefined) console.error(done.error.message);
  return done.status === 0;
}

const filters = process.argv.slice(2);
const statics: [string, string, string[]][] = [
  ["format", "oxfmt", ["--check"]],
  ["lint", "oxlint", ["--type-aware", "--max-warnings", "0"]],
  ["types", "tsc", ["--noEmit"]],
  ["types of the console", "tsc", ["--noEmit", "--project", "ops/console"]],
];
let failedChecks = 0;
for (const [title, command, args] of statics) {
  if (!check(title, command, args)) failedChecks += 1;
}

mkdirSync(join(root, ".local"), { recursive: true });
rmSync(reportPath, { force: true });
const testsOk = check("tests", "vitest", [
  "run",
  "--reporter=default",
  "--reporter=json",
  `--outputFile.json=${reportPath}`,
  ...filters,
]);
let passed = statics.length - failedChecks;
let failed = failedChecks;
try {
  const report = JSON.parse(readFileSync(reportPath, "utf8")) as Record<string, number>;
  passed += report["numPassedTests"] ?? 0;
  failed += report["numFailedTests"] ?? 0;
} catch {
  failed += 1;
}
if (!testsOk && failed === 0) failed = 1;
console.log(`\n${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
