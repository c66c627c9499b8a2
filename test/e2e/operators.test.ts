// The operators' API as it is served: every route against every role, in the caller's own tenant and in another's; the OpenAPI
// document against the functions that are registered; and a request from another site's page.
import { Validator } from "@seriousme/openapi-schema-validator";
import { z } from "zod";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { principalHeader } from "../../local/host/http/principal.ts";
import { isDone, openLocalWorld, type LocalWorld } from "./local-world.ts";

const Operation = z.object({
  operationId: z.string(),
  description: z.string().optional(),
  /** Empty: for whoever asks. */
  security: z.array(z.unknown()).optional(),
  parameters: z.array(z.object({ name: z.string(), in: z.string() })),
});
const Document = z.object({ paths: z.record(z.string(), z.record(z.string(), Operation)) });

const roles = ["reader", "operator", "approver", "overrider", "admin"] as const;
/** Stated a second time, from the issue alone. */
const holders: Record<string, readonly string[]> = {
  reader: roles,
  operator: ["operator", "overrider", "admin"],
  approver: ["approver", "admin"],
  overrider: ["overrider"],
  admin: ["admin"],
};

let world: LocalWorld;
let document: unknown;
let caseId = "";
beforeAll(async () => {
  world = await openLocalWorld();
  document = await (await as("reader@acme", "GET", "/api/openapi.json")).json();
  await world.post(world.raised("INV-1"));
  ({ caseId } = (await world.until("INV-1", isDone)).case);
});
afterAll(() => world.close());

function as(
  role: string,
  method: string,
  path: string,
  change: { headers?: Record<string, string>; body?: unknown } = {},
): Promise<Response> {
  const roles = role === "" ? [] : [role];
  return fetch(`${world.host.url}${path}`, {
    method,
    headers: {
      "x-ms-client-principal": principalHeader({ id: `e2e-${role}`, name: role, roles }),
      ...(method === "GET" ? {} : { "content-type": "application/json" }),
      ...change.headers,
    },
    ...(method === "GET" ? {} : { body: JSON.stringify(change.body ?? {}) }),
  });
}

interface ServedRoute {
  isOpen: boolean;
  method: string;
  name: string;
  role: string | undefined;
  /** About no tenant but the whole deployment: a role of one tenant is not enough. */
  isWide: boolean;
  path(tenant: string): string;
}

function routes(): ServedRoute[] {
  const { paths } = Document.parse(document);
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { description = "", operationId, security }]) => ({
      isOpen: security?.length === 0,
      method: method.toUpperCase(),
      name: operationId,
      role: /the role (\w+)/.exec(description)?.[1],
      isWide: !path.includes("{tenant}"),
      path: (tenant: string) =>
        path
          .replace("{tenant}", tenant)
          .replace("{case}", caseId)
          .replace("{review}", "review:case:1")
          .replace("{queue}", "cases")
          .replace("{sequence}", "1")
          .replace("{approval}", "approval:1:1")
          .replace("{grant}", "g1"),
    })),
  );
}

describe("the OpenAPI document", () => {
  test("is valid OpenAPI 3.1", async () => {
    const validator = new Validator();
    const result = await validator.validate(document as Record<string, unknown>);
    expect(result).toMatchObject({ valid: true });
    expect(validator.version).toBe("3.1");
  });

  test("holds every HTTP function that is registered, under its own method and path", async () => {
    const response = await fetch(`${world.host.url}/admin/functions`, {
      headers: { "x-functions-key": world.host.keys.master },
    });
    const Listed = z.array(
      z.object({
        name: z.string(),
        config: z.object({
          bindings: z.array(
            z.looseObject({
              type: z.string(),
              route: z.string().optional(),
              methods: z.array(z.string()).optional(),
            }),
          ),
        }),
      }),
    );
    const registered = Listed.parse(await response.json()).flatMap(({ config, name }) =>
      config.bindings
        .filter(({ type }) => type.toLowerCase() === "httptrigger")
        .map(({ methods = [], route = name }) => ({
          name,
          method: (methods[0] ?? "get").toLowerCase(),
          path: `/api/${route.replace("?}", "}")}`,
        })),
    );
    const { paths } = Document.parse(document);
    expect(registered.length).toBeGreaterThan(15);
    // A page and its files are no part of the API.
    for (const { method, name, path } of registered.filter(({ name }) => name !== "show-console")) {
      expect([name, paths[path]?.[method]?.operationId]).toEqual([name, name]);
    }
  });
});

describe("every route", () => {
  test("answers 401 to nobody, and 403 to the wrong role or tenant, whatever exists", async () => {
    const wrong: string[] = [];
    for (const route of routes().filter(({ isOpen }) => !isOpen)) {
      const anonymous = await as("", route.method, route.path("acme"), {
        headers: { "x-ms-client-principal": "" },
      });
      if (anonymous.status !== 401) wrong.push(`${route.name}: nobody got ${anonymous.status}`);
      for (const role of ["", ...roles]) {
        for (const tenant of ["acme", "globex"]) {
          const isAllowed =
            route.role === undefined ||
            (tenant === "acme" && (holders[route.role] ?? []).includes(role));
          const isOfAll = route.isWide && tenant === "acme";
          const claim = role === "" || isOfAll ? role : `${role}@acme`;
          const answer = await as(claim, route.method, route.path(tenant));
          const text = await answer.text();
          const isForbidden = answer.status === 403 && text.includes(":forbidden");
          if (isForbidden === isAllowed || answer.status === 401)
            wrong.push(`${route.name}: ${claim} in ${tenant} got ${answer.status}`);
          if (isForbidden && text.includes(caseId)) wrong.push(`${route.name}: reveals the case`);
          if (answer.status >= 500) wrong.push(`${route.name}: ${answer.status} ${text}`);
        }
      }
    }
    expect(wrong).toEqual([]);
  }, 60_000);

  test("that changes something refuses another site's page, and what a form can send", async () => {
    const wrong: string[] = [];
    for (const route of routes().filter(({ isOpen, method }) => method === "POST" && !isOpen)) {
      const send = (headers: Record<string, string>) =>
        as("admin", route.method, route.path("acme"), { headers }).then(({ status }) => status);
      const role = route.role === "overrider" ? "overrider" : "admin";
      const foreign = await as(role, route.method, route.path("acme"), {
        headers: { origin: "https://evil.example" },
      });
      const text = await foreign.text();
      if (foreign.status !== 403 || !text.includes("foreign-origin"))
        wrong.push(`${route.name}: another site got ${foreign.status}`);
      if (role === "overrider") continue;
      const form = await send({ "content-type": "application/x-www-form-urlencoded" });
      if (form !== 415) wrong.push(`${route.name}: a form got ${form}`);
      const own = await send({ origin: new URL(world.host.url).origin });
      if (own === 403 || own === 415) wrong.push(`${route.name}: its own page got ${own}`);
    }
    expect(wrong).toEqual([]);
  });

  test("names the field that is wrong, as a problem", async () => {
    const answer = await as("reader@acme", "GET", "/api/search/acme/cases?hold=true&max=x");
    expect(answer.status).toBe(400);
    expect(answer.headers.get("content-type")).toBe("application/problem+json");
    const { errors } = (await answer.json()) as { errors: { field: string }[] };
    expect(errors.map(({ field }) => field).toSorted()).toEqual(["hold", "max"]);
  });
});

test("who has seen an answer is told as before until it changes, whatever the clock says; each role has its own", async () => {
  const path = `/api/cases/acme/${caseId}/timeline`;
  const read = (role: string, etag = "") =>
    as(role, "GET", path, { headers: { "if-none-match": etag } });
  const first = await read("reader@acme");
  const etag = first.headers.get("etag") ?? "";
  expect([first.status, etag]).toEqual([200, expect.stringMatching(/^W\/"/)]);
  const again = await read("reader@acme", etag);
  expect([again.status, await again.text()]).toEqual([304, ""]);
  expect((await read("operator@acme", etag)).status).toBe(200);
  const done = await as("operator@acme", "POST", `/api/cases/acme/${caseId}/investigate`);
  expect(done.status).toBe(202);
  expect((await read("reader@acme", etag)).status).toBe(200);
});

test("a case is found by its reference and read in time; a reader sees no payload", async () => {
  const found = await (
    await as("reader@acme", "GET", "/api/search/acme/cases?externalRef=INV-1")
  ).json();
  expect(found).toMatchObject({ cases: [{ caseId, externalRef: "INV-1" }] });
  const path = `/api/cases/acme/${caseId}/timeline`;
  const seen = await (await as("reader@acme", "GET", path)).text();
  const whole = await (await as("operator@acme", "GET", path)).text();
  expect(seen).not.toContain("SUP-77");
  expect(whole).toContain("SUP-77");
  const { entries } = JSON.parse(seen) as { entries: { atMs: number; lane: string }[] };
  expect(entries.map(({ atMs }) => atMs)).toEqual(
    entries.map(({ atMs }) => atMs).toSorted((a, b) => a - b),
  );
  expect(new Set(entries.map(({ lane }) => lane))).toEqual(
    new Set(["event", "case", "effect", "attempt", "operator"]),
  );
});

test("anybody is told whether a worker is alive and ready, and nothing else", async () => {
  const asked = async (path: string) => {
    const response = await fetch(`${world.host.url}/api/health/${path}`);
    return [response.status, await response.json()] as const;
  };
  expect(await asked("live")).toEqual([200, { status: "live" }]);
  const checks = { settings: "ok", store: "ok", broker: "ok" };
  expect(await asked("ready")).toEqual([200, { status: "ready", checks }]);
  await world.cosmos.inject({ match: { kind: "read" }, fault: "hangAfterCommit" });
  expect(await asked("ready")).toEqual([
    503,
    { status: "notReady", checks: { ...checks, store: "failed" } },
  ]);
});
