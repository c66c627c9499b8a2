import { expect, test } from "vitest";
import { drainDeadLetters } from "./drain-dead-letters.ts";

test("a drain that is killed again and again loses no dead letter, and copies none without a kill", async () => {
  const seed = Date.now() % 1_000_000;
  console.log(`seed ${seed}`);
  const drained = await drainDeadLetters({ letters: 120, kills: 3, seed });
  expect(drained).toMatchObject({ lost: 0, left: 0 });
  expect(drained.kills).toBeGreaterThan(0);
  expect(drained.copiedTwice).toBeLessThanOrEqual(drained.kills);
}, 90_000);
