// Other people's servers, for comparison only: installed by npm on demand, pinned, into .local/bench-rivals. They are no
// dependencies of this project and `npm test` does not need them.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const root = join(import.meta.dirname, "../..");
export const rivalsFolder = join(root, ".local/bench-rivals");

const pinned = {
  "@restatedev/restate-server": "1.7.12",
  "@restatedev/restate-sdk": "1.17.2",
  "@vercel/cosmosdb-server": "1.0.1",
} as const;
export type Rival = keyof typeof pinned;

export const versionOf = (rival: Rival): string => pinned[rival];

export function installRivals(rivals: readonly Rival[], say: (line: string) => void): void {
  mkdirSync(rivalsFolder, { recursive: true });
  const own = join(rivalsFolder, "package.json");
  if (!existsSync(own)) writeFileSync(own, '{"private":true}\n');
  const missing = rivals.filter((rival) => installedVersion(rival) !== pinned[rival]);
  if (missing.length === 0) return;
  say(`installing ${missing.join(", ")} into .local/bench-rivals ...`);
  const specs = missing.map((rival) => `${rival}@${pinned[rival]}`);
  const done = spawnSync("npm", ["install", "--no-audit", "--no-fund", ...specs], {
    cwd: rivalsFolder,
    encoding: "utf8",
  });
  if (done.status !== 0) {
    throw new Error(`npm could not install ${missing.join(", ")}: ${done.stderr.slice(-400)}`);
  }
}

function installedVersion(rival: Rival): string | undefined {
  const path = join(rivalsFolder, "node_modules", rival, "package.json");
  if (!existsSync(path)) return undefined;
  const { version } = JSON.parse(readFileSync(path, "utf8")) as { version: string };
  return version;
}

/** Resolves as the rivals' own folder does. */
export const requireRival = createRequire(join(rivalsFolder, "package.json"));
