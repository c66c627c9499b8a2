// What `npm run crash` understands, and how it answers what it does not.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parseOptions } from "./options.ts";
import type { Combination } from "./real/run-trial.ts";
import { actionOfKind } from "./real/shipped.ts";

const { key } = actionOfKind;

describe("the command line", () => {
  test.each([
    [["--reel"], "Unknown option '--reel'"],
    [["--every", "0"], "--every takes a whole number from 1"],
    [["--lanes", "99"], "--lanes takes 2 to 16"],
    [["--real", "--action", key], "give one of them"],
    [["--from", "x.ts"], "name it with --action"],
    [["--only", "{}"], "give --real or --action with it"],
    [["--real", "--only", "gate"], "--only takes JSON"],
    [["--real", "--only", '{"fault":"slow"}'], "--only fault: "],
  ])("%j is refused in one sentence", (args, why) => {
    expect(parseOptions(args)).toEqual({ kind: "wrong", why: expect.stringContaining(why) });
  });

  test("takes one combination as a violation prints it", () => {
    const one: Combination = {
      action: key,
      situation: "calm",
      boundary: "send, applied",
      visit: 2,
      fault: "frozenLong",
      machines: 2,
    };
    const parsed = parseOptions(["--real", "--only", JSON.stringify(one)]);
    expect(parsed).toMatchObject({ kind: "run", options: { kind: "real", only: one } });
  });

  test("an action that is not there is answered with those that are", () => {
    const main = join(import.meta.dirname, "main.ts");
    const { status, stderr } = spawnSync(process.execPath, [main, "--action", "crm.nope.v1"], {
      encoding: "utf8",
    });
    expect(status).toBe(2);
    expect(stderr).toMatch(
      /^crash: there is no action crm\.nope\.v1; there are: portal\.\S+, .*\.\n$/,
    );
    expect(stderr).toContain("crm.close_case.v1");
  });
});
