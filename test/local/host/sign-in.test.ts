// Personas of the local host: who is signed in, by cookie, by header, or by nothing.
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { startFixture } from "./fixture-app.ts";

const WHO_APP = `
const { app } = require("@azure/functions");
app.get("who", (request) => ({
  jsonBody: [request.headers.get("x-ms-client-principal-id"), request.headers.get("x-local-persona")],
}));
`;
const app = { files: { "main.js": WHO_APP } };
const personas = [
  { id: "ada", name: "Ada <A>", roles: ["admin"] },
  { id: "rita", name: "Rita", roles: ["reader@acme"] },
];

type Fetch = Awaited<ReturnType<typeof startFixture>>["fetch"];
const who = async (fetch: Fetch, headers: Record<string, string> = {}): Promise<unknown> =>
  (await fetch("/api/who", { headers })).json();

describe("a host with personas", () => {
  test("signs in the first one, another one by header, and nobody under a name that is none", async () => {
    const { fetch } = await startFixture(app, { personas });
    expect(await who(fetch)).toEqual(["ada", null]);
    expect(await who(fetch, { "x-local-persona": "rita" })).toEqual(["rita", null]);
    expect(await who(fetch, { "x-local-persona": "mallory" })).toEqual([null, null]);
  });

  test("lets a page's visitor choose, and leads back only to itself", async () => {
    const { fetch } = await startFixture(app, { personas });
    const page = await (await fetch("/.auth/login/aad?post_login_redirect_uri=/api/who")).text();
    expect(page).toContain("Ada &lt;A>");
    expect(page).toContain("persona=rita&amp;post_login_redirect_uri=%2Fapi%2Fwho");
    const chosen = await fetch("/.auth/login/aad?persona=rita&post_login_redirect_uri=/api/who", {
      redirect: "manual",
    });
    expect([chosen.status, chosen.headers.get("location")]).toEqual([302, "/api/who"]);
    const cookie = chosen.headers.get("set-cookie")?.split(";")[0] ?? "";
    expect(await who(fetch, { cookie })).toEqual(["rita", null]);
    const Me = z.array(
      z.object({ user_claims: z.array(z.object({ typ: z.string(), val: z.string() })) }),
    );
    const [me] = Me.parse(await (await fetch("/.auth/me", { headers: { cookie } })).json());
    expect(me?.user_claims).toContainEqual({ typ: "roles", val: "reader@acme" });
    for (const elsewhere of ["//evil.example", "https://evil.example", "/\\evil.example"]) {
      const path = `/.auth/login/aad?persona=rita&post_login_redirect_uri=${encodeURIComponent(elsewhere)}`;
      const answer = await fetch(path, { redirect: "manual" });
      expect(answer.headers.get("location")).toBe("/.auth/me");
    }
  });

  test("signs out", async () => {
    const { fetch } = await startFixture(app, { personas });
    const out = await fetch("/.auth/logout", { redirect: "manual" });
    const cookie = out.headers.get("set-cookie")?.split(";")[0] ?? "";
    expect(await who(fetch, { cookie })).toEqual([null, null]);
    expect(await (await fetch("/.auth/me", { headers: { cookie } })).json()).toEqual([]);
  });
});

test("a host without personas has no sign-in, and signs nobody in", async () => {
  const { fetch } = await startFixture(app);
  expect((await fetch("/.auth/me")).status).toBe(404);
  expect(await who(fetch, { "x-local-persona": "ada" })).toEqual([null, null]);
});
