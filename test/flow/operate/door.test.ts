// The door of the operators' API: who is let in under which role, and what is told to whoever sends something odd.
import { describe, expect, test } from "vitest";
import { principalHeader } from "../../../local/host/http/principal.ts";
import {
  answerApprovalRoute,
  listApprovalsRoute,
} from "../../../shared/flow/operate/approvals/approval-routes.ts";
import { giveGrant, revokeGrant } from "../../../shared/flow/operate/grants/give-grant.ts";
import {
  giveGrantRoute,
  giveReply,
  revokeGrantRoute,
  revokeReply,
} from "../../../shared/flow/operate/grants/grant-routes.ts";
import { serve, type ApiRequest } from "../../../shared/flow/operate/serve.ts";
import { newWorld } from "../world.ts";
import { ada, operatorsOf, type Who } from "./operators.ts";

const log = { info: () => {}, warn: () => {}, error: () => {} };

function door(options: { easyAuthIsOn?: boolean } = {}) {
  const { ports } = operatorsOf(newWorld());
  const running = async () => ({ ...ports, ...options });
  const asked = (change: Partial<ApiRequest> & { roles?: string[] } = {}): ApiRequest => ({
    method: "POST",
    url: "http://127.0.0.1/api",
    headers: new Headers({
      "x-ms-client-principal": principalHeader({ id: "p-1", name: "P", roles: change.roles ?? [] }),
      "content-type": "application/json",
    }),
    params: { tenant: "acme", case: "a".repeat(26), approval: "approval:1:1" },
    query: new URLSearchParams(),
    text: async () => '{"answerId":"1","decision":"approve"}',
    ...change,
  });
  return {
    async answer(change?: Parameters<typeof asked>[0]) {
      const request = asked(change);
      let acted = 0;
      const response = await serve(answerApprovalRoute, { request, log, running }, async () => {
        acted += 1;
        return { kind: "done", body: { answered: true } } as const;
      });
      return { status: response.status, acted, said: JSON.parse(response.body) as unknown };
    },
    async list(roles: string[]) {
      const request = asked({ roles, method: "GET", params: { tenant: "acme" } });
      const response = await serve(listApprovalsRoute, { request, log, running }, async () => ({
        kind: "done",
        body: { approvals: [] },
      }));
      return response.status;
    },
  };
}

describe("the role approver for this tenant", () => {
  test.each([["approver@acme"], ["approver"], ["APPROVER@ACME"], ["admin@acme"]])(
    "is had by %s",
    async (role) => {
      expect(await door().answer({ roles: [role] })).toMatchObject({ status: 200, acted: 1 });
    },
  );

  test.each([
    ["approver@acme "],
    [" approver"],
    ["approver@"],
    ["approver@acme@acme"],
    ["approver@acme,approver@globex"],
    ["approver@globex"],
    ["approver@acm"],
    ["approver@acme\u200b"],
    ["approver@*"],
    ["operator@acme"],
    ["overrider@acme"],
    ["approver@_"],
    ["__proto__"],
  ])("is not had by %j", async (role) => {
    expect(await door().answer({ roles: [role] })).toMatchObject({ status: 403, acted: 0 });
  });

  test("is believed of no header where the platform signs nobody in", async () => {
    const { answer } = door({ easyAuthIsOn: false });
    expect(await answer({ roles: ["approver"] })).toMatchObject({ status: 401, acted: 0 });
  });

  test("is not had by who has it in two other tenants, and each of them is one of his own", async () => {
    const roles = ["approver@globex", "reader@acme"];
    expect(await door().answer({ roles })).toMatchObject({ status: 403, acted: 0 });
    expect(await door().list(roles)).toBe(200);
  });
});

describe("a body that is odd", () => {
  test.each([
    ["no JSON", "{", "body", /is not JSON/],
    ["no object", "null", "body", /expected object/],
    ["two objects", "{}{}", "body", /is not JSON/],
    [
      "a key twice, by its last value",
      '{"answerId":"1","decision":"approve","decision":1}',
      "decision",
      /./,
    ],
    [
      "a key that is no field",
      '{"answerId":"1","decision":"approve","__proto__":{}}',
      "body",
      /__proto__/,
    ],
    [
      "half a character",
      '{"answerId":"1","decision":"approve","reason":"\\ud800"}',
      "reason",
      /surrogate/,
    ],
    ["too deep", `${"[".repeat(65)}${"]".repeat(65)}`, "body", /deeper/],
    ["too large", `{"reason":"${"x".repeat(16_400)}"}`, "body", /16384 characters/],
  ])(
    "as it is %s is 400, names the field, and changes nothing",
    async (_what, text, field, why) => {
      const { acted, said, status } = await door().answer({
        roles: ["approver"],
        text: async () => text,
      });
      expect([status, acted]).toEqual([400, 0]);
      expect(said).toMatchObject({ errors: [{ field, detail: expect.stringMatching(why) }] });
    },
  );

  test("in its beginning, by a byte-order mark, is read as it was meant", async () => {
    const text = async () => '\ufeff{"answerId":"1","decision":"approve"}';
    expect(await door().answer({ roles: ["approver"], text })).toMatchObject({ status: 200 });
  });
});

describe("a grant", () => {
  const grant = { id: "g-1", subject: "test-flow", action: "keyed.first.v1" };
  const give = async (change: object, who: Who = ada) => {
    const people = operatorsOf(newWorld());
    const { ports } = people;
    const params = { tenant: "acme" };
    return people.call(
      giveGrantRoute,
      async ({ body, principal }) =>
        giveReply(
          await giveGrant(
            { ...ports, grants: newWorld().grants },
            { tenantId: "acme", grant: body, principal },
          ),
          body.id,
        ),
      { who, params, body: { ...grant, ...change } },
    );
  };

  test.each([".", ".."])(
    "named %s is refused by name: no address has it, so nobody could read or revoke it",
    async (id) => {
      expect(await give({ id })).toMatchObject({
        status: 400,
        body: { errors: [{ field: "id" }] },
      });
      expect(await give({ id: "..." })).toMatchObject({ status: 201 });
    },
  );

  test("that is revoked twice is revoked for whoever did it, and another is told by whom and when", async () => {
    const { grants, ...world } = newWorld();
    const people = operatorsOf(newWorld());
    const revoke = (who: Who) =>
      people.call(
        revokeGrantRoute,
        async ({ body, params, principal }) =>
          revokeReply(
            await revokeGrant(
              { ...people.ports, grants, nowMs: world.nowMs },
              { tenantId: "acme", grantId: params.grant, reason: body.reason, principal },
            ),
          ),
        {
          who,
          params: { tenant: "acme", grant: "grant:bare.first.v1" },
          body: { reason: "he left" },
        },
      );
    expect((await revoke(ada)).status).toBe(200);
    // The answer of the first one may have been lost.
    expect((await revoke(ada)).status).toBe(200);
    expect(await revoke(["otto", "admin"])).toMatchObject({
      status: 409,
      body: { detail: "It was revoked before, by ada at 2026-11-29T12:00:00.000Z." },
    });
    expect((await grants.read("acme", "grant:bare.first.v1"))?.revoked?.by).toBe("ada");
  });

  test("that ends in the past is refused by name: it would allow nothing", async () => {
    expect(await give({ expiresAt: "2026-11-29T12:00:00Z" })).toMatchObject({
      status: 400,
      body: { errors: [{ field: "expiresAt", detail: expect.stringContaining("past") }] },
    });
    expect(await give({ expiresAt: "2026-11-29T12:00:01Z" })).toMatchObject({ status: 201 });
    expect(await give({ expiresAt: "2026-11-29T12:00:01" })).toMatchObject({ status: 400 });
  });
});
