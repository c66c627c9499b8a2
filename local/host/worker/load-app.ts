// Loads a built app as the Node worker does: the files that package.json's `main` glob names, each
// as CommonJS or as an ES module by its extension and `type`.
//
// Azure stays silent when there is no `main`, when it matches nothing, or when an entry throws before it
// registers anything: the app then has zero functions. Here each of these is an error with a sentence.
import { globSync, readFileSync } from "node:fs";
import Module, { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Registry } from "./core-module.ts";

/** The app cannot be started; the message says what to do about it. */
export class AppLoadFault extends Error {}

type Loader = { _load: (request: string, ...rest: unknown[]) => unknown };

/** Makes `require("@azure/functions-core")` work, also for an ES module that imports the CommonJS library. */
export function provideCoreModule(registry: Registry, core: object): void {
  const loader = Module as unknown as Loader;
  const load = loader._load;
  loader._load = function provideCore(this: unknown, request, ...rest) {
    if (request !== "@azure/functions-core") return load.call(this, request, ...rest);
    registry.wasRequired = true;
    return core;
  };
}

type PackageJson = { main?: unknown; type?: unknown };

function readPackageJson(appFolder: string): PackageJson {
  const path = join(appFolder, "package.json");
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    throw new AppLoadFault(`The app folder has no readable package.json (${path}).`, {
      cause: error,
    });
  }
  try {
    return JSON.parse(text) as PackageJson;
  } catch (error) {
    throw new AppLoadFault(`${path} is not valid JSON: ${String(error)}`, { cause: error });
  }
}

function entryFiles(appFolder: string, main: unknown): string[] {
  if (typeof main !== "string" || main === "") {
    throw new AppLoadFault(
      `package.json in ${appFolder} has no "main"; it must name the built entry files, for example "dist/functions/*.js".`,
    );
  }
  const files = globSync(main, { cwd: appFolder }).toSorted();
  if (files.length === 0) {
    throw new AppLoadFault(
      `"main": "${main}" in package.json matches no file in ${appFolder}; build the app first.`,
    );
  }
  return files.map((file) => resolve(appFolder, file));
}

async function loadEntry(file: string, isModuleFolder: boolean): Promise<void> {
  const isModule = file.endsWith(".mjs") || (isModuleFolder && !file.endsWith(".cjs"));
  if (isModule) await import(pathToFileURL(file).href);
  else createRequire(file)(file);
}

export async function loadApp(appFolder: string, registry: Registry): Promise<void> {
  const { main, type } = readPackageJson(appFolder);
  const files = entryFiles(appFolder, main);
  for (const file of files) {
    try {
      await loadEntry(file, type === "module");
    } catch (error) {
      const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
      throw new AppLoadFault(`The entry file ${file} failed while loading: ${text}`, {
        cause: error,
      });
    }
  }
  registry.isClosed = true;
  if (registry.functions.size > 0) return;
  throw new AppLoadFault(
    registry.wasRequired
      ? `The app registered no function in ${files.length} entry file(s) (${files.join(", ")}).`
      : `The app registered no function: nothing asked for the host's module in ${files.length} entry file(s) (${files.join(", ")}). ` +
          `Either no entry uses @azure/functions, or a module loader hides the host from it (load compiled JavaScript, without a TypeScript loader).`,
  );
}
