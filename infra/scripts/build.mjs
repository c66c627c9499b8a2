// Builds the app: every function and all that it needs, bundled into dist/main.js.
//
// One file instead of some two thousand: what a cold start costs is mostly the finding and reading of modules
// (`npm run package` prints both times). What is loaded only on demand stays in files of its own. The one package that is
// not bundled, @azure/functions-core, is no package: the platform's worker provides it.
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { rolldown } from "rolldown";

const root = join(import.meta.dirname, "../..");
const dist = join(root, "dist");
const entry = "virtual:functions";

const functionFiles = readdirSync(join(root, "functions"))
  .filter((file) => file.endsWith(".ts"))
  .sort()
  .map((file) => join(root, "functions", file));

for (const file of ["main.js", "main.js.map", "chunks"]) {
  rmSync(join(dist, file), { recursive: true, force: true });
}
const bundle = await rolldown({
  input: { main: entry },
  platform: "node",
  external: ["@azure/functions-core"],
  plugins: [
    {
      name: "functions",
      resolveId: (id) => (id === entry ? id : undefined),
      load: (id) =>
        id === entry
          ? functionFiles.map((file) => `import ${JSON.stringify(file)};`).join("\n")
          : undefined,
    },
  ],
});
await bundle.write({
  dir: dist,
  format: "esm",
  sourcemap: true,
  entryFileNames: "main.js",
  chunkFileNames: "chunks/[name]-[hash].js",
});
await bundle.close();
