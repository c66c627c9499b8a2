// Makes a fresh clone ready, then runs one TypeScript entry under the project's own Node.
//
//   node local/setup.mjs <entry.ts> [arguments]
//
// Plain JavaScript that Node 20 can run, because it is what runs before anything is installed.
// It installs when package-lock.json has changed since the last install, and builds the app, and the console, when a
// source file has changed since its last build; otherwise it costs a few milliseconds.
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const node = join(root, "node_modules", ".bin", "node");
const quiet = process.argv.includes("--json");

/** Progress goes to standard error, so that standard output stays a program's own. */
function say(line) {
  process.stderr.write(`${line}\n`);
}

function fail(sentence, detail) {
  say(`countersign: ${sentence}`);
  if (detail) say(detail.trim().split("\n").slice(-20).join("\n"));
  process.exit(1);
}

function sha256(text) {
  return createHash("sha256").update(text).digest("hex");
}

function readIfThere(path) {
  return existsSync(path) ? readFileSync(path, "utf8") : "";
}

function installIfNeeded() {
  const stampPath = join(root, "node_modules", ".countersign-install");
  const stamp = sha256(readFileSync(join(root, "package-lock.json")));
  if (readIfThere(stampPath) === stamp && existsSync(node)) return;
  say("installing packages (once per change of package-lock.json) ...");
  const done = spawnSync("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: root,
    encoding: "utf8",
    shell: process.platform === "win32",
  });
  if (done.error) fail(`npm could not be started: ${done.error.message}.`);
  if (done.status !== 0) fail("npm ci failed; is the npm registry reachable?", done.stderr);
  try {
    writeFileSync(stampPath, stamp);
  } catch (error) {
    fail(`cannot write in ${root} (${error.code}); make the folder writable and run it again.`);
  }
}

function newestSourceMs(folder) {
  let newest = statSync(folder).mtimeMs;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    newest = Math.max(newest, entry.isDirectory() ? newestSourceMs(path) : statSync(path).mtimeMs);
  }
  return newest;
}

const builds = [
  {
    what: "the app",
    stamp: ".built",
    rooms: ["functions", "shared", "infra"],
    command: ["infra/scripts/build.mjs"],
  },
  {
    what: "the console",
    stamp: "console.built",
    rooms: ["ops/console"],
    command: ["node_modules/vite/bin/vite.js", "build", "--config", "ops/console/vite.config.ts"],
  },
];

function buildIfNeeded({ command: [tool, ...args], rooms, stamp, what }) {
  const stampPath = join(root, "dist", stamp);
  const newest = Math.max(
    ...rooms.map((room) => newestSourceMs(join(root, room))),
    statSync(join(root, "package-lock.json")).mtimeMs,
  );
  if (readIfThere(stampPath) === String(newest)) return;
  if (!quiet) say(`building ${what} ...`);
  const done = spawnSync(node, [join(root, tool), ...args], {
    cwd: root,
    encoding: "utf8",
  });
  if (done.status !== 0) fail(`${what} cannot be built.`, done.stdout + done.stderr);
  mkdirSync(dirname(stampPath), { recursive: true });
  writeFileSync(stampPath, String(newest));
}

function run(entry, args) {
  const binFolder = join(root, "node_modules", ".bin");
  const child = spawn(node, ["--disable-warning=ExperimentalWarning", join(root, entry), ...args], {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, PATH: `${binFolder}:${process.env.PATH ?? ""}` },
  });
  // A terminal sends Ctrl-C to the whole group: the child ends by itself and we report how.
  process.on("SIGINT", () => {});
  process.on("SIGTERM", () => child.kill("SIGTERM"));
  child.on("exit", (code, signal) => process.exit(code ?? (signal === "SIGINT" ? 130 : 1)));
}

const [entry, ...args] = process.argv.slice(2);
if (!entry) fail("usage: node local/setup.mjs <entry.ts> [arguments]");
installIfNeeded();
for (const build of builds) buildIfNeeded(build);
run(entry, args);
