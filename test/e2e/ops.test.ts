// The operators' command line against the built app: each kind of review that this world can bring about is settled by it, two
// operators meet on one, and whoever may only read changes nothing.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { run } from "../../ops/cli/run.ts";
import { quietTerminal } from "../ops/quiet-terminal.ts";
import { isDone, openLocalWorld, waitUntil, type LocalWorld } from "./local-world.ts";

const email = "email.send_notification.v1";
const creditNote = "portal.request_credit_note.v1";
const mark = "portal.mark_invoice.v1";

const personas = [
  { id: "rita", name: "Rita Reader", roles: ["reader"] },
  { id: "olga", name: "Olga Operator", roles: ["operator"] },
  { id: "otto", name: "Otto Operator", roles: ["operator@acme"] },
  { id: "abel", name: "Abel Approver", roles: ["approver"] },
  { id: "ivo", name: "Ivo Overrider", roles: ["overrider"] },
  { id: "una", name: "Una Overrider", roles: ["overrider"] },
];

let world: LocalWorld;
beforeAll(async () => {
  world = await openLocalWorld({ personas });
});
afterAll(() => world.close());

interface Ended {
  code: number;
  out: string;
  err: string;
  json: Record<string, unknown>;
}

async function ops(persona: string, ...line: string[]): Promise<Ended> {
  const terminal = quietTerminal({ env: { COUNTERSIGN_TENANT: "acme" } });
  const as = persona === "" ? [] : ["--persona", persona];
  // The last word holds: a line may name another world.
  const code = await run(["--url", world.host.url, ...line, ...as, "--json"], terminal);
  const { err, out } = terminal.said;
  return { code, err, out, json: out === "" ? {} : JSON.parse(out) };
}

const because = ["--yes", "--reason", "seen with my own eyes"];

const stateOf = async (invoice: string, action: string) =>
  (await world.view(invoice))?.effects.find((effect) => effect.action === action);

async function unansweredEmail(invoice: string, fault: "down" | "commitThenDrop"): Promise<void> {
  await world.providers.order([{ action: email, fault, times: 1 }]);
  await world.post(world.raised(invoice));
  await world.until(
    invoice,
    ({ effects, reviews }) =>
      reviews.length > 0 && effects.some(({ status }) => status === "unknown"),
  );
}

describe("an effect that nobody answered", () => {
  test("is stated to have happened by one of two operators at once; the other ends with 5 and the name", async () => {
    await unansweredEmail("INV-1", "commitThenDrop");
    const told = ["reviews", "resolve", "INV-1", "--how", "happened", "--provider-id", "m-1"];
    const both = await Promise.all([
      ops("olga", ...told, ...because),
      ops("otto", ...told, ...because),
    ]);
    expect(new Set(both.map(({ code }) => code))).toEqual(new Set([0, 5]));
    const loser = both.find(({ code }) => code === 5);
    expect(loser?.err).toMatch(/(olga|otto)/);
    await world.until("INV-1", isDone);
    await waitUntil("the email is confirmed", async () => {
      const one = await stateOf("INV-1", email);
      return one?.status === "confirmed";
    });
    expect((await world.applied("INV-1"))[email]).toBe(1);
    const late = await ops("abel", "reviews", "show", "INV-1");
    expect(late.json).toMatchObject({ review: { resolution: { how: expect.any(String) } } });
    const again = await ops("olga", ...told, ...because);
    expect([again.code, again.err]).toEqual([5, expect.stringContaining("It was resolved before")]);
  });

  test("is sent again only when two people force it, and one alone is refused", async () => {
    await unansweredEmail("INV-2", "down");
    const retry = ["reviews", "resolve", "INV-2", "--how", "retry", ...because];
    expect((await ops("ivo", ...retry)).code).toBe(1);
    const asked = await ops("ivo", ...retry, "--forced");
    expect([asked.code, asked.json]).toMatchObject([0, { state: "awaitsSecondPerson" }]);
    const request = ["--request", String(asked.json["requestId"])];
    const confirm = ["reviews", "confirm", "INV-2", ...because];
    expect((await ops("ivo", ...confirm, ...request)).code).toBe(3);
    expect((await ops("rita", ...confirm)).code).toBe(3);
    expect((await ops("una", ...confirm, "--dry-run")).code).toBe(0);
    expect((await world.applied("INV-2"))[email]).toBeUndefined();
    expect((await ops("una", ...confirm)).json).toMatchObject({ state: "recorded" });
    await world.until("INV-2", ({ effects }) =>
      effects.every(({ status }) => status === "confirmed"),
    );
    expect((await world.applied("INV-2"))[email]).toBe(1);
  });
});

test("an effect without a grant waits until somebody grants it, and nothing is sent before", async () => {
  const revoked = await ops("", "grants", "revoke", `grant:acme:${mark}`, ...because);
  expect(revoked.code).toBe(0);
  await world.post(world.raised("INV-3"));
  await world.until("INV-3", ({ reviews }) => reviews.some(({ kind }) => kind === "NoGrant"));
  const { json } = await ops("rita", "reviews", "list", "--kind", "NoGrant");
  expect(json).toMatchObject({ reviews: [{ externalRef: "INV-3" }] });
  expect((await world.applied("INV-3"))[mark]).toBeUndefined();
  const grant = ["grants", "grant", "--yes", "--subject", "invoice-exception", "--action", mark];
  expect((await ops("", ...grant, "--dry-run")).json).toMatchObject({ dryRun: true });
  expect((await ops("", ...grant, "--id", "g-mark")).json).toMatchObject({ woken: 1 });
  await world.until("INV-3", isDone);
  expect((await world.applied("INV-3"))[mark]).toBe(1);
  // By the same person it is the same.
  expect((await ops("", "grants", "revoke", `grant:acme:${mark}`, ...because)).code).toBe(0);
});

test("a case that a refusal holds goes on when it is released", async () => {
  await world.providers.order([{ action: creditNote, fault: "refuse", times: 1 }]);
  await world.post(world.raised("INV-4"));
  await world.until("INV-4", ({ case: record }) => record.held !== undefined);
  const shown = await ops("olga", "reviews", "show", "INV-4");
  expect(shown.json).toMatchObject({ review: { kind: "CaseHeld" } });
  const human = quietTerminal({ env: { COUNTERSIGN_TENANT: "acme" } });
  await run(["reviews", "show", "INV-4", "--url", world.host.url], human);
  expect(human.said.out).toContain("release:");
  expect(
    (await ops("olga", "reviews", "resolve", "INV-4", "--how", "release", ...because)).code,
  ).toBe(0);
  await waitUntil("its review is resolved", async () => {
    const { json } = await ops("olga", "reviews", "show", "INV-4", "review:case:1");
    return (json["review"] as { resolution?: object } | undefined)?.resolution !== undefined;
  });
});

test("a notification that was refused is acknowledged, and sent no more", async () => {
  await world.providers.order([{ action: email, fault: "refuse", times: 1 }]);
  await world.post(world.raised("INV-5"));
  await world.until("INV-5", ({ reviews }) =>
    reviews.some(({ kind }) => kind === "NotificationFailed"),
  );
  const line = ["reviews", "resolve", "INV-5", "--how", "acknowledge", ...because];
  expect((await ops("olga", ...line)).code).toBe(0);
  await world.until("INV-5", ({ reviews }) =>
    reviews.every(({ resolution }) => resolution !== undefined),
  );
  expect((await world.applied("INV-5"))[email]).toBeUndefined();
});

test("a case is found, read and read in time; a reader sees no payload", async () => {
  await world.post(world.raised("INV-6"));
  await world.until("INV-6", isDone);
  const found = await ops("rita", "cases", "search", "--ref", "INV-6");
  expect(found.json).toMatchObject({ cases: [{ externalRef: "INV-6" }] });
  for (const command of ["show", "timeline"]) {
    const seen = await ops("rita", "cases", command, "INV-6");
    const whole = await ops("olga", "cases", command, "INV-6");
    expect([seen.code, whole.code]).toEqual([0, 0]);
    expect(seen.out).not.toContain("SUP-77");
    expect(whole.out).toContain("SUP-77");
  }
});

test("a drain that is waited for lets nothing new be sent until it is stopped", async () => {
  const started = await ops("", "drain", "start", "--reason", "deploy", "--wait");
  expect([started.code, started.json]).toMatchObject([0, { draining: true, isQuiet: true }]);
  await world.post(world.raised("INV-7"));
  const status = await ops("rita", "drain", "status");
  expect(status.json).toMatchObject({ drain: { reason: "deploy" } });
  expect(await world.applied("INV-7")).toEqual({});
  expect((await ops("", "drain", "stop", "--reason", "done")).code).toBe(0);
  // What was put off during the drain is due half a minute after it was looked at.
  const isApplied = async () => (await world.applied("INV-7"))[creditNote] === 1;
  await waitUntil("what was put off is done", isApplied, 50_000);
  const records = await ops("rita", "records", "list", "--deployment");
  expect(records.json).toMatchObject({
    records: [{ action: "stop-drain" }, { action: "start-drain" }],
  });
}, 90_000);

test("the doctor finds all as it should be, the queues too", async () => {
  const { code, json } = await ops("olga", "doctor");
  expect(code).toBe(0);
  expect(json).toMatchObject({ settings: expect.arrayContaining(["CASE_ID_KEY", "Cosmos"]) });
  const checks = json["checks"] as { name: string; state: string }[];
  const states = Object.fromEntries(checks.map(({ name, state }) => [name, state]));
  expect(states).toMatchObject({
    "Easy Auth": "ok",
    "Cosmos DB account": "ok",
    "container cases": "ok",
    "queue cases": "ok",
    "clock here": "ok",
    "signed in": "ok",
  });
  expect(JSON.stringify(json)).not.toMatch(/whsec_|AccountKey|portal-token/);
});

describe("an approval, in a tenant that wants to be asked", () => {
  let asking: LocalWorld;
  beforeAll(async () => {
    const settings = { APPROVALS: JSON.stringify({ acme: [creditNote] }) };
    asking = await openLocalWorld({ personas, settings });
  });
  afterAll(() => asking.close());

  test("is answered once, by whoever may: nothing is sent before, and the second is told who was first", async () => {
    await asking.post(asking.raised("INV-A"));
    await asking.until("INV-A", ({ log }) => log.length > 0);
    const at = ["--url", asking.host.url, "--tenant", "acme"];
    const answer = ["approvals", "answer", "INV-A", ...because, "--decision"];
    await waitUntil("it is asked", async () => {
      const { json } = await ops("rita", "approvals", "list", ...at);
      return (json["approvals"] as object[]).length === 1;
    });
    for (const persona of ["rita", "olga"])
      expect((await ops(persona, ...answer, "approve", ...at)).code).toBe(3);
    const dry = await ops("abel", ...answer, "approve", "--dry-run", ...at);
    expect([dry.code, dry.json]).toMatchObject([0, { request: { body: { decision: "approve" } } }]);
    expect(await asking.applied("INV-A")).toEqual({});
    expect((await ops("abel", ...answer, "approve", ...at)).code).toBe(0);
    await asking.until("INV-A", isDone);
    expect((await asking.applied("INV-A"))[creditNote]).toBe(1);
    const late = await ops("", ...answer, "refuse", ...at);
    expect([late.code, late.err]).toEqual([5, expect.stringContaining("approve by abel")]);
  }, 60_000);
});

describe("whoever may not", () => {
  const caseId = "abcdefghijklmnopqrstuvwxyz";
  /** Every command that changes something, as far as it gets without looking at anything first. */
  const writing = [
    ["approvals", "answer", caseId, "approval:1:1", "--decision", "approve", ...because],
    ["reviews", "confirm", caseId, "review:case:1", "--request", "r", ...because],
    ["grants", "grant", "--yes", "--subject", "invoice-exception", "--action", mark],
    ["grants", "revoke", "g-mark", ...because],
    ["drain", "start", "--reason", "because"],
    ["drain", "stop", "--reason", "because"],
  ];

  test("reads only is refused with 3 by every command that changes something", async () => {
    await unansweredEmail("INV-8", "commitThenDrop");
    const lines = [
      ...writing.slice(2),
      ["reviews", "resolve", "INV-8", "--how", "abandon", ...because],
    ];
    for (const line of lines) {
      const { code, err } = await ops("rita", ...line);
      expect([line[0], line[1], code, err]).toEqual([
        line[0],
        line[1],
        3,
        expect.stringContaining("needs the role"),
      ]);
    }
    expect((await stateOf("INV-8", email))?.status).toBe("unknown");
    const grants = await ops("rita", "grants", "list");
    const mine = (grants.json["grants"] as { id: string; revoked?: object }[]).find(
      ({ id }) => id === "g-mark",
    );
    expect(mine?.revoked).toBeUndefined();
  });

  test("asks about another tenant is refused with 3, whatever exists there", async () => {
    const lines = [
      ["reviews", "list"],
      ["cases", "show", "INV-1"],
      ["cases", "search"],
      ["approvals", "list"],
      ["grants", "list"],
      ["records", "list"],
      ...writing.slice(0, 4),
    ];
    for (const line of lines) {
      const { code, out } = await ops("otto", ...line, "--tenant", "globex");
      expect([line, code]).toEqual([line, 3]);
      expect(out).toContain("forbidden");
    }
  });
});
