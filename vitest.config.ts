import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    dir: "test",
    testTimeout: 30_000,
    hookTimeout: 30_000,
    pool: "forks",
    maxWorkers: 2,
  },
});
