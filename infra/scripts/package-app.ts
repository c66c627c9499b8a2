// The deployable: what Azure gets, as a zip. host.json, the bundle of dist/ (no source maps) and a package.json that names
// it; nothing of local/, tests or samples, and no node_modules: the bundle holds all that it needs.
import {
  cpSync,
  globSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { zipSync } from "fflate";

const root = join(import.meta.dirname, "../..");
/** The same zip for the same files: no clock in it. */
const zippedAt = new Date("2026-01-01T00:00:00Z");

export interface Packaged {
  /** The folder as Azure will unpack it. */
  appFolder: string;
  zipFile: string;
  files: number;
  zipBytes: number;
  unpackedBytes: number;
}

/** Expects a built dist/. */
export function packageApp(folder = join(root, ".local", "package")): Packaged {
  const appFolder = join(folder, "app");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(appFolder, { recursive: true });
  const built = globSync("dist/**/*", { cwd: root }).filter(
    (path) => !/\.map$|\.built$/.test(path) && statSync(join(root, path)).isFile(),
  );
  const files = ["host.json", ...built].sort();
  for (const path of files) {
    mkdirSync(dirname(join(appFolder, path)), { recursive: true });
    cpSync(join(root, path), join(appFolder, path));
  }
  writeFileSync(join(appFolder, "package.json"), deployedPackageJson());
  files.push("package.json");

  const contents = files.map((path) => [path, readFileSync(join(appFolder, path))] as const);
  const zip = zipSync(
    Object.fromEntries(contents.map(([path, bytes]) => [path.replaceAll("\\", "/"), bytes])),
    { mtime: zippedAt },
  );
  const zipFile = join(folder, "countersign.zip");
  writeFileSync(zipFile, zip);
  return {
    appFolder,
    zipFile,
    files: files.length,
    zipBytes: zip.length,
    unpackedBytes: contents.reduce((sum, [, { length }]) => sum + length, 0),
  };
}

function deployedPackageJson(): string {
  const { name, version, type, main, engines } = JSON.parse(
    readFileSync(join(root, "package.json"), "utf8"),
  ) as Record<string, unknown>;
  return `${JSON.stringify({ name, version, private: true, type, main, engines }, null, 2)}\n`;
}
