// `npm run package`: makes the deployable zip, prints its size and module load time beside the unbundled app's, and proves that
// it is complete: the zip's content alone runs a case under the local host, on Node 24 and on Node 22.
//
//   npm run package [-- --json]
//
// Node 22 comes from npm (the platform's own package of Node) into .local/node-22, once.
import { spawnSync } from "node:child_process";
import { existsSync, globSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { packageApp } from "../../infra/scripts/package-app.ts";
import { runOneCase } from "./run-one-case.ts";

const node22Version = "22.23.3";
const root = join(import.meta.dirname, "..", "..");
const { values } = parseArgs({ options: { json: { type: "boolean", default: false } } });
const say = (line: string) => values.json || console.log(line);

const packaged = packageApp();
say(
  `${packaged.zipFile}: ${megabytes(packaged.zipBytes)} (${megabytes(packaged.unpackedBytes)} unpacked, ${packaged.files} files)`,
);
const loadMs = {
  bundled: loadTimeMs(`import(${JSON.stringify(join(packaged.appFolder, "dist/main.js"))})`),
  unbundled: loadTimeMs(
    `Promise.all(${JSON.stringify(globSync(join(root, "functions/*.ts")))}.map((file) => import(file)))`,
  ),
};
say(
  `modules load in ${loadMs.bundled} ms; unbundled in ${loadMs.unbundled} ms (fresh process, median of 5)`,
);

const nodes = { "24": process.execPath, "22": node22() };
const proofs: Record<string, Awaited<ReturnType<typeof runOneCase>>> = {};
for (const [major, nodePath] of Object.entries(nodes)) {
  const proof = await runOneCase({ appFolder: packaged.appFolder, nodePath });
  proofs[major] = proof;
  say(
    `Node ${proof.nodeVersion}: ${proof.functions} functions; one case ${proof.status}, each effect applied once`,
  );
}
if (values.json) console.log(JSON.stringify({ ...packaged, loadMs, proofs }));

function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(2)} MB`;
}

function loadTimeMs(expression: string): number {
  const program = `const at = performance.now(); await ${expression}; console.log(performance.now() - at); process.exit(0)`;
  const times = Array.from({ length: 5 }, () => {
    const done = spawnSync(process.execPath, ["--input-type=module", "--eval", program], {
      encoding: "utf8",
    });
    if (done.status !== 0) throw new Error(done.stderr);
    return Number(done.stdout.trim().split("\n").at(-1));
  });
  return Math.round(times.sort((a, b) => a - b)[2] ?? Number.NaN);
}

function node22(): string {
  const platform = process.platform === "win32" ? "win" : process.platform;
  const name = `node-${platform}-${process.arch}`;
  const folder = join(root, ".local", "node-22");
  const path = join(folder, "node_modules", name, "bin", platform === "win" ? "node.exe" : "node");
  if (existsSync(path)) return path;
  say("fetching Node 22 from npm (once) ...");
  mkdirSync(folder, { recursive: true });
  const done = spawnSync(
    "npm",
    [
      "install",
      "--prefix",
      folder,
      "--no-save",
      "--no-audit",
      "--no-fund",
      `${name}@${node22Version}`,
    ],
    { encoding: "utf8", shell: platform === "win" },
  );
  if (!existsSync(path)) throw new Error(`Node 22 could not be fetched from npm: ${done.stderr}`);
  return path;
}
