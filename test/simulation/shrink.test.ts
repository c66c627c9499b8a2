// What is left of a schedule is what its violation needs, whatever the harness knows of which faults struck.
import { describe, expect, test } from "vitest";
import { shrink } from "./shrink.ts";

const all = Array.from({ length: 46 }, (_, place) => place);
const needs =
  (...wanted: number[]) =>
  async (places: readonly number[]) =>
    wanted.every((place) => places.includes(place));

describe("shrinking", () => {
  test("leaves the faults that the violation needs, of those that struck", async () => {
    const fired = all.filter((place) => place % 2 === 1);
    expect(await shrink({ all, fired, breaks: needs(3, 7, 41) })).toEqual([3, 7, 41]);
  });

  test("looks among all of them where those that are known to have struck are not enough", async () => {
    expect(await shrink({ all, fired: [3], breaks: needs(3, 20) })).toEqual([3, 20]);
  });

  test("leaves nothing where the world breaks the rule by itself", async () => {
    expect(await shrink({ all, fired: all, breaks: needs() })).toEqual([]);
  });
});
