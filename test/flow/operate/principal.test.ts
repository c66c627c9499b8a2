// Who somebody is, from what the platform says of them: one person is one, or two could approve where one did.
import { expect, test } from "vitest";
import { isSamePrincipal, principalOf } from "../../../shared/flow/operate/access/principal.ts";

const objectId = "http://schemas.microsoft.com/identity/claims/objectidentifier";
const idOf = (...claims: [string, string][]) => {
  const named = [...claims, ["name", "A Person"]].map(([typ, val]) => ({ typ, val }));
  const header = Buffer.from(JSON.stringify({ claims: named })).toString("base64");
  return principalOf(header, { easyAuthIsOn: true })?.id;
};

test("a person whose token lists its claims in another order is the same person", () => {
  const own = "0A1B-person";
  expect(idOf(["sub", "pairwise-1"], [objectId, own])).toBe(own.toLowerCase());
  expect(idOf([objectId, own], ["sub", "pairwise-2"])).toBe(own.toLowerCase());
  expect(idOf(["oid", ` ${own} `], ["appid", "app"], ["sub", "s"])).toBe(own.toLowerCase());
  expect(idOf([objectId, "  "], ["sub", "s"])).toBe("s");
});

test("letters that only look alike make another person, who is nobody's second self", () => {
  expect(isSamePrincipal("alice", "\u0430lice")).toBe(false);
  expect(isSamePrincipal(" ALICE", "alice ")).toBe(true);
});
