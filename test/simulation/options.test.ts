// What the command lines of the simulation and of the mutants understand, and how they answer what they do not.
import { describe, expect, test } from "vitest";
import { parseOptions as parseMutants } from "../mutants/safety/options.ts";
import { parseOptions } from "./options.ts";

describe("the command line of the simulation", () => {
  test.each([
    [["--sedules", "3"], "Unknown option '--sedules'"],
    [["--schedules", "0"], "--schedules takes 1 to"],
    [["--seed", "x"], '--seed takes 0 to 2147483647, not "x"'],
    [["--seed", "-1"], "Option '--seed' argument is ambiguous"],
    [["--workers", "0"], "--workers takes 1 to 64"],
    [["--only", "3"], "name it with --schedule"],
    [["--schedule", "3", "--schedules", "4"], "give one of them"],
    [["--schedule", "3", "--only", "99"], "--only takes numbers from 0 to"],
    [["--schedule", "3", "--only", "1,,2"], "--only takes numbers from 0 to"],
  ])("%j is refused in one sentence", (args, why) => {
    expect(parseOptions(args)).toEqual({ kind: "wrong", why: expect.stringContaining(why) });
  });

  test("takes one schedule as a violation prints it, and then shrinks no more", () => {
    expect(parseOptions(["--seed", "7", "--schedule", "12", "--only", "3,9"])).toMatchObject({
      options: { seed: 7, schedule: 12, places: [3, 9], shrinks: false },
    });
    expect(parseOptions(["--schedule", "12", "--only", "none"])).toMatchObject({
      options: { places: [] },
    });
  });
});

describe("the command line of the mutants", () => {
  test.each([
    [["--nope"], "Unknown option '--nope'"],
    [["--schedules", "0"], "--schedules takes a whole number from 1"],
    [["--only", "nothing such"], 'no mutant has "nothing such" in its name; there are:'],
  ])("%j is refused, and told what there is", (args, why) => {
    expect(parseMutants(args)).toEqual({ kind: "wrong", why: expect.stringContaining(why) });
  });

  test("runs one alone without the controls", () => {
    expect(parseMutants(["--only", "the breaker"])).toMatchObject({
      options: { mutants: [{ without: "the breaker" }], withControls: false },
    });
  });
});
