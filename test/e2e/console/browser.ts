// A real browser: the Chromium inside an npm package, so that nothing is downloaded. It runs where that package has one, on
// Linux x64; elsewhere the tests fail and say so, rather than pass without having looked.
//
// The package unpacks it into the folder for temporary files, and takes any file of that name for a whole one. So it is unpacked
// aside, and given its name when it is whole: two test files at once, or a run that was stopped, leave no half of it.
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import sparticuz from "@sparticuz/chromium";
import { chromium, type Browser } from "playwright-core";
import project from "../../../package.json" with { type: "json" };

/** These would switch off what the tests are about, or put all tabs into one process. */
const unwanted = [
  "--disable-web-security",
  "--allow-running-insecure-content",
  "--single-process",
  "--no-zygote",
  "--in-process-gpu",
];

export async function openBrowser(): Promise<Browser> {
  try {
    sparticuz.setGraphicsMode = false;
    return await chromium.launch({
      executablePath: await unpacked(),
      args: sparticuz.args.filter((arg) => !unwanted.includes(arg)),
    });
  } catch (error) {
    const here = `${process.platform} ${process.arch}`;
    throw new Error(
      `The console's tests need Chromium, and the one of @sparticuz/chromium (Linux x64) does not start on ${here}.`,
      { cause: error },
    );
  }
}

const root = join(import.meta.dirname, "../../..");
const unpack = `import chromium from "@sparticuz/chromium"; await chromium.executablePath();`;

async function unpacked(): Promise<string> {
  const version = project.devDependencies["@sparticuz/chromium"];
  const folder = join(root, ".local", `chromium-${version}`);
  const path = join(folder, "chromium");
  if (existsSync(path)) return path;
  const aside = `${folder}.${process.pid}`;
  mkdirSync(aside, { recursive: true });
  // A process of its own, because the folder for temporary files is a whole process's.
  await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", unpack], {
    cwd: root,
    env: { ...process.env, TMPDIR: aside },
    timeout: 60_000,
  });
  try {
    renameSync(aside, folder);
  } catch (error) {
    rmSync(aside, { recursive: true, force: true });
    if (!existsSync(path)) throw error;
  }
  return path;
}
