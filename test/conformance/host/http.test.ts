// HTTP functions. Rules from Microsoft Learn: "Azure Functions HTTP trigger" (routes, prefix, keys), "Azure Functions Node.js
// developer guide" (requests, responses, hooks), "How to disable functions".
import { describe, expect, test } from "vitest";
import { runningHost } from "./running-host.ts";

const { asMaster, fetch, keys, records } = await runningHost();
const textOf = async (path: string, init?: RequestInit) => await (await fetch(path, init)).text();
const statusOf = async (path: string, init?: RequestInit) => (await fetch(path, init)).status;
const echo = async (path: string, init?: RequestInit) =>
  (await (await fetch(path, init)).json()) as Record<string, unknown>;

describe("a request", () => {
  test("reaches the function with its method, path, query and headers", async () => {
    const init = { method: "POST", headers: { "x-test": "here" }, body: "" };
    expect(await echo("/api/echo/7?q=1&r=x%20y", init)).toMatchObject({
      method: "POST",
      path: "/api/echo/7",
      query: { q: "1", r: "x y" },
      header: "here",
    });
  });

  test("reaches the function with the bytes of its body", async () => {
    const init = { method: "POST", body: Buffer.from([0, 1, 254, 255]) };
    expect(await echo("/api/echo", init)).toMatchObject({ bytes: "0001feff" });
  });

  test("may be read as JSON", async () => {
    const init = { method: "POST", body: JSON.stringify({ value: [1, { two: "ü" }] }) };
    expect(await echo("/api/json", init)).toEqual({ got: [1, { two: "ü" }] });
  });

  test("of a megabyte arrives whole", async () => {
    const body = Buffer.alloc(1_048_576, 7);
    expect(await textOf("/api/size", { method: "POST", body })).toBe("1048576");
  });

  test("has a context with the function's name and an invocation id of its own", async () => {
    const [first, second] = [await echo("/api/echo"), await echo("/api/echo")];
    expect(first["functionName"]).toBe("echo");
    expect(first["invocationId"]).not.toBe(second["invocationId"]);
  });

  test("is handled beside others: one waits while another runs", async () => {
    const both = await Promise.all([textOf("/api/meets"), textOf("/api/meets")]);
    expect(both).toEqual(["met", "met"]);
  });
});

describe("a response", () => {
  test("has the status, the body and the headers that the function gives", async () => {
    const response = await fetch("/api/answers");
    expect([response.status, await response.text()]).toEqual([418, "a text"]);
    expect(response.headers.get("x-answer")).toBe("yes");
    expect(response.headers.get("content-type")).toContain("text/plain");
  });

  test("sets the cookies that the function gives", async () => {
    const cookie = (await fetch("/api/answers")).headers.get("set-cookie") ?? "";
    expect(cookie).toMatch(/^a=b/);
    expect(cookie.toLowerCase()).toContain("samesite=lax");
    expect(cookie.toLowerCase()).toContain("httponly");
  });

  test("of jsonBody is JSON and says so", async () => {
    const response = await fetch("/api/json", { method: "POST", body: '{"value":1}' });
    expect(response.headers.get("content-type")).toContain("application/json");
    expect(await response.json()).toEqual({ got: 1 });
  });

  test("of bytes is those bytes", async () => {
    const bytes = await (await fetch("/api/bytes")).arrayBuffer();
    expect([...new Uint8Array(bytes)]).toEqual([0, 255, 10]);
  });

  test("to a function that throws is 500, and tells nothing of the reason", async () => {
    const response = await fetch("/api/throws");
    expect(response.status).toBe(500);
    expect(await response.text()).not.toContain("secret reason");
  });
});

describe("a route", () => {
  test("begins with the prefix of host.json", async () => {
    expect(await statusOf("/api/plain-name")).toBe(200);
    expect(await statusOf("/plain-name")).toBe(404);
  });

  test("is the function's name unless it is given", async () => {
    expect(await textOf("/api/plain-name")).toBe("by its own name");
  });

  test("hands over its parameters, decoded, in the case in which they came", async () => {
    expect(await echo("/api/echo/AbC%20d")).toMatchObject({ params: { id: "AbC d" } });
  });

  test("may leave an optional parameter out", async () => {
    expect(await echo("/api/echo")).toMatchObject({ params: {} });
  });

  test("is not matched where a constraint does not hold", async () => {
    expect(await textOf("/api/counted/12")).toBe("12");
    expect(await statusOf("/api/counted/twelve")).toBe(404);
  });

  test("may take the rest of a path", async () => {
    expect(await textOf("/api/files/a/b/c.txt")).toBe("a/b/c.txt");
  });

  test("ignores the case of its literals", async () => {
    expect(await statusOf("/API/Plain-NAME")).toBe(200);
  });

  test("that no function has is 404", async () => {
    expect(await statusOf("/api/no-such-function")).toBe(404);
  });

  test("answers GET and POST unless the methods are named", async () => {
    expect(await statusOf("/api/plain-name")).toBe(200);
    expect(await statusOf("/api/plain-name", { method: "POST" })).toBe(200);
    expect(await statusOf("/api/plain-name", { method: "PUT" })).toBe(404);
  });

  test("answers the named methods and no others", async () => {
    expect(await statusOf("/api/only-put", { method: "PUT" })).toBe(200);
    expect(await statusOf("/api/only-put")).toBe(404);
  });
});

describe("a key", () => {
  const withKey = (key: string) => ({ headers: { "x-functions-key": key } });

  test("is not asked for at the level anonymous, which is the default of the model", async () => {
    expect(await statusOf("/api/plain-name")).toBe(200);
  });

  test("is asked for at the level function: without one it is 401", async () => {
    expect(await statusOf("/api/guarded")).toBe(401);
  });

  test("that is wrong opens nothing", async () => {
    expect(await statusOf("/api/guarded", withKey("wrong"))).toBe(401);
    expect(await statusOf("/api/masters", withKey("wrong"))).toBe(401);
  });

  test("may be given in a header or in the query", async () => {
    expect(await statusOf("/api/guarded", withKey(keys.host ?? keys.master))).toBe(200);
    const code = encodeURIComponent(keys.host ?? keys.master);
    expect(await statusOf(`/api/guarded?code=${code}`)).toBe(200);
  });

  test("must be the master's at the level admin", async () => {
    expect(await statusOf("/api/masters", withKey(keys.host ?? "no host key is known"))).toBe(401);
    expect((await asMaster("/api/masters")).status).toBe(200);
  });
});

describe("a function", () => {
  test("that is disabled by its setting is not there", async () => {
    expect(await statusOf("/api/disabled-http")).toBe(404);
  });

  test("sees its settings as environment variables", async () => {
    expect(await textOf("/api/setting")).toBe("hello from the settings");
  });
});

describe("a hook", () => {
  test("of the app's start runs once, before the first invocation", async () => {
    expect(await echo("/api/started")).toEqual({ hooks: 1 });
  });

  test("before an invocation may wrap the handler, and shares its data with the one after", async () => {
    expect(await textOf("/api/hooked")).toBe("wrapped x");
    const [row] = await records("hooked");
    expect(row).toEqual({ before: "before", body: "wrapped x" });
  });

  test("after an invocation may turn an error into a result", async () => {
    const response = await fetch("/api/rescued");
    expect([response.status, await response.text()]).toEqual([203, "rescued"]);
  });
});
