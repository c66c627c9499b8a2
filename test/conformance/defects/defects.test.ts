// A few of `npm run conformance -- --defects`, so that the suite is never trusted untested; the script has them all.
import { describe, expect, test } from "vitest";
import { control, defects, plant } from "./run-defects.ts";

const sample = [
  "a batch is rolled back",
  "an abandon counts a delivery",
  "the feed keeps transactions whole",
];

describe("the conformance suite", { timeout: 60_000 }, () => {
  test.each(sample)(
    "turns red by the case that states it when it is not so that %s",
    async (rule) => {
      const mutant = defects.find((candidate) => candidate.rule === rule);
      if (mutant === undefined) throw new Error(`no defect ${rule}`);
      expect(await plant(mutant)).toEqual({ killed: true });
    },
  );

  test("is green in a copy without a defect", async () => {
    expect(await control("test/conformance/cosmos/batch.test.ts")).toBe("it passed");
  });
});
