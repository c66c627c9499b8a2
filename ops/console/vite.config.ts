// How the console becomes static files in dist/console: hashed names, nothing inline, so that the strict content security
// policy of functions/show-console.ts holds.
import { defineConfig } from "vite";

export default defineConfig({
  root: import.meta.dirname,
  base: "/api/console/",
  logLevel: "warn",
  build: {
    outDir: "../../dist/console",
    emptyOutDir: true,
    target: "es2023",
    assetsInlineLimit: 0,
    modulePreload: false,
    reportCompressedSize: false,
  },
});
