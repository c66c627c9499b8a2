// What a run of the command line sends, shows and ends with, against the API as its OpenAPI document tells it.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { run } from "../../ops/cli/run.ts";
import { quietTerminal, type QuietTerminal } from "./quiet-terminal.ts";
import { openStandIn, problem, type StandIn } from "./stand-in.ts";

const caseId = "abcdefghijklmnopqrstuvwxyz";
const reviewId = "review:case:1";

let api: StandIn;
beforeAll(async () => {
  api = await openStandIn();
});
afterAll(() => api.close());
beforeEach(() => {
  api.asked.length = 0;
});

async function ops(
  line: readonly string[],
  terminal: QuietTerminal = quietTerminal(),
): Promise<{ code: number; out: string; err: string; terminal: QuietTerminal }> {
  const code = await run([...line, "--url", api.url], terminal);
  return { code, ...terminal.said, terminal };
}

const acme = ["--tenant", "acme"];
const posts = () => api.asked.filter(({ body }) => body !== undefined);

const shown = {
  review: {
    id: reviewId,
    tenantId: "acme",
    caseId,
    subject: "case",
    kind: "UnknownEffect",
    why: "nobody answered",
    consequence: "It may happen twice.",
    caseVersion: 1,
    openedAtMs: 0,
  },
  version: "v1.a1.f0.unknown",
  case: { externalRef: "INV-1", workflow: "invoice-exception", status: "open", version: 1 },
  findings: [],
  choices: [
    { how: "happened", isPermitted: true, mayBeForced: false, consequence: "It is confirmed." },
    {
      how: "retry",
      isPermitted: false,
      why: "no key covers it",
      mayBeForced: true,
      consequence: "It is sent again.",
    },
  ],
  waitsForTurn: false,
  forceRequests: [],
};
const resolve = ["reviews", "resolve", caseId, reviewId, ...acme, "--reason", "seen it"];
const happened = [...resolve, "--how", "happened", "--provider-id", "CN-1"];

test("a review of something else shows every id under which the provider told of it", async () => {
  const providerIds = ["CN-7", "CN-8"];
  const review = { ...shown.review, kind: "EvidenceMismatch", providerIds };
  api.answer({ "show-review": { body: { ...shown, review } } });
  const { code, out } = await ops(["reviews", "show", caseId, reviewId, ...acme]);
  expect(code).toBe(0);
  expect(out).toContain("CN-7, CN-8");
});

describe("a resolution", () => {
  beforeEach(() =>
    api.answer({
      "show-review": { body: shown },
      "resolve-review": { status: 202, body: { state: "recorded", findingId: "f1" } },
    }),
  );

  test("is sent on the version that was looked at, once somebody has typed yes", async () => {
    const { code, err } = await ops(happened, quietTerminal({ answers: ["yes"] }));
    expect(code).toBe(0);
    expect(err).toContain("It is confirmed.");
    expect(posts()).toMatchObject([
      {
        name: "resolve-review",
        body: { how: "happened", providerId: "CN-1", expectedVersion: shown.version },
      },
    ]);
  });

  test("is not sent when the answer is anything else", async () => {
    const { code } = await ops(happened, quietTerminal({ answers: ["y"] }));
    expect([code, posts()]).toEqual([1, []]);
  });

  test("is not sent where nobody can be asked, unless --yes is given", async () => {
    const refused = await ops(happened);
    expect([refused.code, posts()]).toEqual([2, []]);
    const sent = await ops([...happened, "--yes", "--expected-version", "v0"]);
    expect(sent.code).toBe(0);
    expect(posts()).toMatchObject([{ body: { expectedVersion: "v0" } }]);
  });

  test("is only shown by a dry run, with what it would do", async () => {
    const { code, out } = await ops([...happened, "--dry-run"]);
    expect([code, posts()]).toEqual([0, []]);
    expect(out).toContain("It is confirmed.");
    const asJson = await ops([...happened, "--dry-run", "--json"]);
    expect(JSON.parse(asJson.out)).toMatchObject({
      dryRun: true,
      request: { body: { how: "happened" } },
    });
  });

  test("that would be refused ends a dry run with 1, and a forced one does not", async () => {
    const retry = [...resolve, "--how", "retry", "--dry-run"];
    const { code, err } = await ops(retry);
    expect(code).toBe(1);
    expect(err).toContain("no key covers it");
    expect((await ops([...retry, "--forced"])).code).toBe(0);
    expect(posts()).toEqual([]);
  });

  test("that comes second ends with 5 and names who was first", async () => {
    const detail = "It was resolved before: happened, by Otto (otto) at 2026-11-29T10:00:00Z.";
    api.answer({ "resolve-review": problem(409, "resolved-before", detail) });
    const { code, err, out } = await ops([...happened, "--yes", "--json"]);
    expect(code).toBe(5);
    expect(err).toContain("by Otto");
    expect(JSON.parse(out)).toMatchObject({ status: 409, detail });
  });

  test("that was not answered is sent again as the same decision", async () => {
    let tries = 0;
    api.answer({
      "resolve-review": () => {
        tries += 1;
        return tries < 3
          ? problem(503, "unavailable", "again", { "retry-after": "0.01" })
          : { status: 202, body: { state: "recorded" } };
      },
    });
    expect((await ops([...happened, "--yes"])).code).toBe(0);
    const ids = posts().map(({ body }) => (body as { decisionId: string }).decisionId);
    expect(ids).toHaveLength(3);
    expect(new Set(ids).size).toBe(1);
  });
});

describe("the exit code of an answer", () => {
  const soon = { "retry-after": "0.01" };
  test.each([
    [400, "bad-request", 2],
    [401, "not-signed-in", 3],
    [403, "forbidden", 3],
    [404, "no-such-case", 1],
    [409, "not-permitted", 1],
    [409, "changed-since-seen", 5],
    [409, "revoked-before", 5],
    [500, "fault", 1],
    [503, "unavailable", 4],
  ])("%i %s is %i", async (status, slug, wanted) => {
    api.answer({ "show-time-line": problem(status, slug, "why it is so", soon) });
    const { code, err, out } = await ops(["cases", "show", caseId, ...acme]);
    expect([code, out]).toEqual([wanted, ""]);
    expect(err).toContain("why it is so");
  });

  test("names the field that is wrong", async () => {
    const { body, status = 400 } = problem(400, "bad-request", "Some fields are wrong.");
    const errors = [{ field: "openedBefore", detail: "Invalid ISO datetime" }];
    api.answer({ "search-cases": { status, body: { ...(body as object), errors } } });
    const { code, err } = await ops(["cases", "search", ...acme, "--opened-before", "noon"]);
    expect(code).toBe(2);
    expect(err).toContain("openedBefore: Invalid ISO datetime");
  });

  test("is 4 when nobody answers", async () => {
    const gone = await openStandIn();
    await gone.close();
    const terminal = quietTerminal();
    expect(await run(["reviews", "list", ...acme, "--url", gone.url], terminal)).toBe(4);
    expect(terminal.said.err).toContain("does not answer");
  });
});

describe("the tenant", () => {
  beforeEach(() => api.answer({ "list-approvals": { body: { approvals: [] } } }));
  const tenants = (...ids: string[]) => ({
    "show-me": {
      body: { id: "u", tenants: ids.map((tenantId) => ({ tenantId, roles: ["reader"] })) },
    },
  });

  test("is the only one that the caller has a role in", async () => {
    api.answer(tenants("globex"));
    expect((await ops(["approvals", "list"])).code).toBe(0);
    expect(api.asked.at(-1)?.path).toBe("/api/approvals/globex");
  });

  test("must be named where there are several, and none is 3", async () => {
    api.answer(tenants("acme", "globex"));
    const { code, err } = await ops(["approvals", "list"]);
    expect(code).toBe(2);
    expect(err).toContain("acme, globex");
    api.answer(tenants());
    expect((await ops(["approvals", "list"])).code).toBe(3);
  });

  test("may be told by the environment, and the argument goes before it", async () => {
    const terminal = quietTerminal({ env: { COUNTERSIGN_TENANT: "globex" } });
    await ops(["approvals", "list"], terminal);
    await ops(["approvals", "list", ...acme], terminal);
    expect(api.asked.map(({ path }) => path)).toEqual([
      "/api/approvals/globex",
      "/api/approvals/acme",
    ]);
  });
});

describe("a list", () => {
  const row = (n: number, kind = "UnknownEffect") => ({
    id: `review:case:${n}`,
    caseId,
    kind,
    why: "w",
    externalRef: `INV-${n}\u001B[2J`,
    workflow: "invoice-exception",
    openedAtMs: 0,
    ageMs: 1000 * n,
  });

  test("follows its pages, and its JSON is the API's own rows", async () => {
    api.answer({
      "list-reviews": ({ query }) =>
        query["cursor"] === undefined
          ? { body: { reviews: [row(1), row(2)], next: "c2" } }
          : { body: { reviews: [row(3)] } },
    });
    const { code, out } = await ops(["reviews", "list", ...acme, "--max", "200", "--json"]);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toEqual({ reviews: [row(1), row(2), row(3)] });
  });

  test("keeps one kind, and puts the oldest first when asked", async () => {
    api.answer({
      "list-reviews": { body: { reviews: [row(1), row(3), row(2, "CaseHeld")] } },
    });
    const line = ["reviews", "list", ...acme, "--json", "--kind", "unknowneffect"];
    const { out } = await ops([...line, "--sort", "age"]);
    expect(JSON.parse(out)).toMatchObject({ reviews: [{ ageMs: 3000 }, { ageMs: 1000 }] });
  });

  test("lets no control character of a reference reach the terminal", async () => {
    api.answer({ "list-reviews": { body: { reviews: [row(1)] } } });
    const { out } = await ops(["reviews", "list", ...acme]);
    expect(out).toContain("INV-1");
    expect(out).not.toContain("\u001B");
  });
});

describe("wrong arguments end with 2 and send nothing", () => {
  test.each([
    [["reviews"]],
    [["reviews", "resolv"]],
    [["reviews", "resolve", caseId, "--how", "happened"]],
    [["reviews", "resolve", caseId, "--how", "guess", "--reason", "because"]],
    [["reviews", "list", "--max", "0"]],
    [["grants", "grant", "--subject", "w", "--action", "a", "--limit", "amount=much"]],
    [["dead-letters", "resubmit", "--queue", "cases", "--reason", "because", "--tenant", "acme"]],
  ])("%j", async (line) => {
    const { code, err } = await ops(line);
    expect([code, api.asked]).toEqual([2, []]);
    expect(err).not.toBe("");
  });
});

describe("the target", () => {
  test("away from this machine is spoken to over HTTPS only, with a client id, and knows no persona", async () => {
    const said = async (line: readonly string[], env: Record<string, string> = {}) => {
      const terminal = quietTerminal({ env });
      const code = await run(["reviews", "list", ...acme, ...line], terminal);
      return [code, terminal.said.err] as const;
    };
    const away = "app.example";
    expect(await said(["--url", `http://${away}`])).toEqual([2, expect.stringContaining("https")]);
    expect(await said(["--url", `https://${away}`])).toEqual([
      2,
      expect.stringContaining("COUNTERSIGN_AUTH_CLIENT_ID"),
    ]);
    expect(await said(["--url", `https://${away}`, "--persona", "olga"])).toEqual([
      2,
      expect.stringContaining("local Azure only"),
    ]);
    expect(await said(["--url", "app"])).toEqual([2, expect.stringContaining("no address")]);
  });

  test("on this machine is told the persona", async () => {
    api.answer({ "list-reviews": { body: { reviews: [] } } });
    await ops(["reviews", "list", ...acme, "--persona", "olga"]);
    expect(api.asked[0]?.headers["x-local-persona"]).toBe("olga");
  });
});

describe("the doctor", () => {
  const ready = {
    status: "ready",
    checks: { settings: "ok", store: "ok", broker: "ok" },
  };
  const me = { id: "u", tenants: [{ tenantId: "acme", roles: ["operator"] }] };
  const report = (storeMs: number, state: string) => ({
    body: { storeMs, checks: [{ name: "queues", state, says: "as it is" }] },
  });

  test("ends with 4 and the part that fails when the app cannot work, and asks no further", async () => {
    const checks = { ...ready.checks, settings: "failed" };
    api.answer({ "health-ready": { status: 503, body: { status: "notReady", checks } } });
    const { code, err } = await ops(["doctor"]);
    expect([code, api.asked.length]).toEqual([4, 1]);
    expect(err).toContain("settings failed");
  });

  test("ends with 1 when something is wrong, or when the clock here is not the store's", async () => {
    api.answer({ "health-ready": { body: ready }, "show-me": { body: me } });
    api.answer({ "show-doctor": () => report(Date.now(), "notReadable") });
    expect((await ops(["doctor"])).code).toBe(0);
    api.answer({ "show-doctor": () => report(Date.now(), "wrong") });
    expect((await ops(["doctor"])).err).toContain("queues");
    api.answer({ "show-doctor": () => report(Date.now() + 120_000, "ok") });
    const late = await ops(["doctor"]);
    expect([late.code, late.err]).toEqual([1, expect.stringContaining("clock here")]);
    expect(late.out).toContain("behind the store's");
  });
});

describe("a drain", () => {
  const state = (isQuiet: boolean, count: number) => ({
    draining: true,
    inFlight: { count, isMore: false },
    isQuiet,
    says: isQuiet ? "Quiet." : "Ending.",
  });

  test("is waited for until no call is under way", async () => {
    let looks = 0;
    api.answer({
      "start-drain": { body: state(false, 2) },
      "show-drain": () => ({ body: state((looks += 1) > 1, 0) }),
    });
    const { code, err, out } = await ops(["drain", "start", "--reason", "deploy", "--wait"]);
    expect(code).toBe(0);
    expect(err).toContain("Under way: 2");
    expect(out).toContain("Quiet.");
  });

  test("that was interrupted while waiting says that it stays on", async () => {
    api.answer({ "show-drain": { body: state(false, 1) } });
    const terminal = quietTerminal();
    const waiting = ops(["drain", "status", "--wait"], terminal);
    while (!terminal.said.err.includes("Under way")) await new Promise(setImmediate);
    terminal.interrupt();
    const { code, err } = await waiting;
    expect(code).toBe(130);
    expect(err).toContain("stays on");
  });
});
