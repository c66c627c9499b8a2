// Route templates, as ASP.NET reads them.
import { describe, expect, test } from "vitest";
import { matchRoute, routeTemplate } from "../../../local/host/http/route-template.ts";

function params(template: string, path: string) {
  return matchRoute(routeTemplate(template), path.split("/").map(decodeURIComponent));
}

describe("a route template", () => {
  test("ignores case in literals and keeps it in values", () => {
    expect(params("Cases/{id}", "cases/AbC")).toEqual({ id: "AbC" });
    expect(params("cases/{id}", "cases")).toBeUndefined();
    expect(params("cases/{id}", "cases/a/b")).toBeUndefined();
  });

  test("leaves out what is optional and absent, and fills in a default", () => {
    expect(params("a/{x?}", "a")).toEqual({});
    expect(params("a/{x=7}", "a")).toEqual({ x: "7" });
    expect(params("a/{x=7}", "a/8")).toEqual({ x: "8" });
  });

  test("takes the rest of a path, decoded, also when it is empty", () => {
    expect(params("files/{*path}", "files/a%20b/c")).toEqual({ path: "a b/c" });
    expect(params("files/{**path}", "files")).toEqual({});
  });

  test("may hold several parameters in a segment, where the right-most literal wins", () => {
    expect(params("{name}.{type}", "a.b.c")).toEqual({ name: "a.b", type: "c" });
    expect(params("v{major}-x", "v1-y")).toBeUndefined();
  });

  test("is matched only where every constraint holds", () => {
    const holds: [string, string, boolean][] = [
      ["{x:int}", "12", true],
      ["{x:int}", "2147483648", false],
      ["{x:long}", "2147483648", true],
      ["{x:bool}", "True", true],
      ["{x:guid}", "0b6a3b2e-3f14-46b9-b8b9-a6e80f1bbc35", true],
      ["{x:guid}", "0b6a", false],
      ["{x:alpha:length(2,3)}", "abc", true],
      ["{x:alpha:length(2,3)}", "abcd", false],
      ["{x:range(1,5)}", "6", false],
      ["{x:min(3)}", "3", true],
      ["{x:regex(^\\d{{3}}-[a-z]+$)}", "123-ab", true],
      ["{x:regex(^\\d{{3}}-[a-z]+$)}", "12-ab", false],
      ["{x:datetime}", "2026-11-29", true],
      ["{x:float}", "1.5e3", true],
    ];
    for (const [template, path, expected] of holds) {
      expect([template, path, params(template, path) !== undefined]).toEqual([
        template,
        path,
        expected,
      ]);
    }
  });

  test("that cannot be read is the function's error", () => {
    for (const wrong of ["{", "a/{}", "{x:colour}", "{x:int"]) {
      expect(() => routeTemplate(wrong)).toThrow(/route/);
    }
  });
});
