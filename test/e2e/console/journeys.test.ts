// What people do in the console, in a real browser, up to what the providers applied: a review is resolved, a question answered after
// its facts changed, a grant revoked in mid-case; and what who only reads does not see.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { isDone } from "../local-world.ts";
import { violations } from "./axe.ts";
import { openConsoleWorld, type ConsoleWorld } from "./console-world.ts";

const credit = "portal.request_credit_note.v1";
const mark = "portal.mark_invoice.v1";

let world: ConsoleWorld;
beforeAll(async () => {
  world = await openConsoleWorld();
}, 60_000);
// What a test has revoked is given again, also when it failed.
afterEach(() => world.grantAgain());
afterAll(() => world.close());

test("who is not signed in is led to sign in, and comes back to the console", async () => {
  const answer = await fetch(`${world.host.url}/api/console`, {
    headers: { "x-local-persona": "nobody" },
    redirect: "manual",
  });
  expect(answer.status).toBe(302);
  expect(answer.headers.get("location")).toBe(
    "/.auth/login/aad?post_login_redirect_uri=/api/console",
  );
});

test("the page allows nothing but its own files, is never kept, and names files that never change", async () => {
  const answer = await fetch(`${world.host.url}/api/console`);
  const page = await answer.text();
  expect(answer.headers.get("content-security-policy")).toBe(
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  );
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    "cache-control": "no-store",
    "content-type": "text/html; charset=utf-8",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
  });
  expect(page).not.toMatch(/<script>|<style|style=|https?:/);
  const files = [...page.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, path = ""]) => path);
  expect(files.length).toBeGreaterThan(1);
  for (const path of files) {
    const file = await fetch(`${world.host.url}${path}`);
    expect([path, file.status, file.headers.get("cache-control")]).toEqual([
      path,
      200,
      "public, max-age=31536000, immutable",
    ]);
  }
  for (const path of ["assets/none.js", "..%2fmain.js", "assets/..%2f..%2fmain.js", "main.js"]) {
    const file = await fetch(`${world.host.url}/api/console/${path}`);
    expect([path, file.status]).toEqual([path, 404]);
  }
});

test("a review is found by the keyboard alone, and resolved; a second operator is told by whom and when", async () => {
  await world.unknownEmail("INV-R1");
  const page = await world.open("olga", "reviews");
  const second = await world.open("una", "reviews");
  await second.getByRole("link", { name: /INV-R1/ }).click();
  await second.getByRole("button", { name: "Give it up" }).click();
  await second.getByLabel("Reason").fill("nobody will ever know");
  // What she sees is old from here on.
  await second.route("**/api/reviews/**", (route) =>
    route.request().method() === "GET" ? route.abort() : route.continue(),
  );

  await page.getByRole("link", { name: /INV-R1/ }).waitFor();
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Nobody knows whether it happened" }).waitFor();
  expect(await page.getByText("What email promises").isVisible()).toBe(true);
  expect(
    await page.getByText("the recipient gets the same message twice").first().isVisible(),
  ).toBe(true);
  await page.getByRole("button", { name: "It happened" }).press("Enter");
  await page.getByLabel("The provider's own id").fill("msg_000042");
  await page.getByLabel("Reason").fill("their log shows it");
  await page.getByRole("button", { name: "Record: It happened" }).press("Enter");
  await page.getByText("Resolved.", { exact: true }).waitFor();

  await second.getByRole("button", { name: "Record: Give it up" }).click();
  const told = second.getByRole("alert").filter({ hasText: "It was resolved before" });
  expect(await told.innerText()).toMatch(/happened, by Olga Operator \(olga\) at \d{4}-/);
  await second.unroute("**/api/reviews/**");
  // Whoever comes back to the page looks at once.
  await second.evaluate('document.dispatchEvent(new Event("visibilitychange"))');
  await second.getByText("Resolved.", { exact: true }).waitFor();
  await told.waitFor();

  const { effects, reviews } = await world.until("INV-R1", (view) =>
    view.reviews.every(({ resolution }) => resolution !== undefined),
  );
  expect(effects.at(-1)).toMatchObject({
    status: "confirmed",
    receipt: { providerId: "msg_000042" },
  });
  expect(reviews).toMatchObject([{ resolution: { how: "stated: it happened", by: "olga" } }]);
  expect(await world.applied("INV-R1")).toMatchObject({ "email.send_notification.v1": 1 });
});

test("who answers after the facts changed is told, looks again, and approves what is so now", async () => {
  await world.revoke(credit);
  await world.post(world.raised("INV-A1"));
  const askedOn = await world.askApproval("INV-A1");
  await world.grant(credit);
  const page = await world.open("abel", "approvals");
  await page.getByRole("link", { name: /INV-A1/ }).click();
  const payload = page.getByLabel("Frozen payload");
  await payload.getByText("50.00").waitFor();
  await page.getByLabel("Yes, send exactly this").check();
  await page.getByLabel("Reason").fill("as ordered");

  await world.revoke(credit);
  await world.post({
    id: "amended-INV-A1",
    type: "invoice.purchase_order.amended",
    timestamp: "2026-11-29T11:00:00Z",
    data: { invoice: "INV-A1", ordered: "1189.00" },
  });
  await world.askApproval("INV-A1", { after: askedOn });
  await page.getByRole("button", { name: "Record: yes" }).click();
  await page.getByText("the case has moved on since this was asked").waitFor();
  await page.getByText("The facts have changed since this was asked.").waitFor();
  expect(await world.applied("INV-A1")).toEqual({});

  await world.grant(credit);
  await page.getByRole("link", { name: "Look again" }).click();
  const stale = page.getByText("the case has moved on");
  await page
    .getByRole("link", { name: /INV-A1/ })
    .filter({ hasNot: stale })
    .click();
  await payload.getByText("60.00").waitFor();
  await page.getByLabel("Yes, send exactly this").check();
  await page.getByLabel("Reason").fill("as amended");
  await page.getByRole("button", { name: "Record: yes" }).click();
  await page.getByText("Answered: approve by abel").waitFor();
  await world.until("INV-A1", ({ case: { status } }) => status === "credit_requested");
  expect(await world.applied("INV-A1")).toMatchObject({ [credit]: 1, [mark]: 1 });
  const bodies = (await world.providers.journal()).filter(
    ({ action, event, target }) => event === "received" && action === credit && target === "INV-A1",
  );
  expect(bodies).toMatchObject([{ body: { amount: "60.00" } }]);
});

test("a grant that is revoked in mid-case stops the next send, and the case waits for a person", async () => {
  await world.providers.order([{ action: credit, target: "INV-G1", fault: "hang" }]);
  await world.post(world.raised("INV-G1"));
  await world.providers.waitFor(({ event, target }) => event === "applied" && target === "INV-G1");
  const page = await world.open("e2e-admin", "grants");
  const grant = page.getByRole("article", { name: `Grant grant:acme:${mark}` });
  await grant.getByRole("button", { name: "Revoke" }).click();
  await grant.getByLabel("Reason").fill("the supplier changes its portal");
  await grant.getByRole("button", { name: /Revoke it/ }).click();
  await grant.getByText("Revoked by e2e-admin").waitFor();
  await world.providers.release();
  await world.until("INV-G1", ({ reviews }) => reviews.some(({ kind }) => kind === "NoGrant"));
  expect(await world.applied("INV-G1")).toEqual({ [credit]: 1 });

  await page.keyboard.press("1");
  await page.getByRole("link", { name: /No grant covers it.*INV-G1/ }).click();
  await page.getByText("give the grant that it waits for; that sends it").waitFor();
  await world.grant(mark);
  await world.until("INV-G1", ({ case: { status } }) => status === "credit_requested");
  expect(await world.applied("INV-G1")).toMatchObject({ [credit]: 1, [mark]: 1 });
});

test("a drain holds new work until it is stopped, and everybody is told by whom and why", async () => {
  const page = await world.open("e2e-admin", "overview");
  const drain = page.getByRole("region", { name: "Drain for a deploy" });
  await drain.getByLabel("Reason").fill("deploy 42");
  await drain.getByRole("button", { name: "Start a drain" }).click();
  await drain.getByText(/Quiet: nothing is begun/).waitFor();
  const reader = await world.open("rita", "overview");
  await reader.getByText(/Started by E2E admin.*deploy 42/).waitFor();
  await world.post(world.raised("INV-W1"));
  await drain.getByLabel("Reason").fill("deployed");
  expect(await world.applied("INV-W1")).toEqual({});
  await drain.getByRole("button", { name: /Stop the drain/ }).click();
  // What was put off is looked at within half a minute.
  await world.until("INV-W1", isDone, 60_000);
  expect(await world.applied("INV-W1")).toMatchObject({ [credit]: 1, [mark]: 1 });
}, 90_000);

describe("who only reads", () => {
  test("sees that there are payloads, never what is in them, and no form that acts", async () => {
    const { case: record } = await world.unknownEmail("INV-S1");
    const page = await world.open("rita", "reviews");
    await page.getByRole("link", { name: /INV-S1/ }).click();
    await page.getByText("Choosing needs the role operator").waitFor();
    expect(await page.locator("form").count()).toBe(0);
    expect(await page.locator("[data-redacted]").count()).toBe(1);
    await page.goto(`${world.host.url}/api/console#/acme/cases/${record.caseId}`);
    await page.getByRole("heading", { name: "Case INV-S1" }).waitFor();
    expect(await page.locator("form").count()).toBe(0);
    const text = await page.locator("main").innerText();
    expect(text).not.toMatch(/1199\.00|SUP-77|@acme\.example/);
    await page.goto(`${world.host.url}/api/console#/globex/reviews`);
    await page.getByText("You have no role in the tenant globex.").waitFor();
    await page.goto(`${world.host.url}/api/console#/acme/grants`);
    await page.getByText("need the role admin").waitFor();
    expect(await page.locator("form").count()).toBe(0);
  });

  test("is somebody else after the switch of persona, and is offered the choices", async () => {
    const page = await world.open("rita", "reviews");
    await page.getByRole("link", { name: "Switch persona" }).click();
    await page.getByRole("link", { name: "Olga Operator" }).click();
    await page.getByRole("link", { name: /INV-S1/ }).click();
    await page.getByRole("button", { name: "Give it up" }).waitFor();
    expect(page.url()).toContain("/api/console#/acme/reviews");
  });
});

test("what is forced takes two overriders, and neither operator nor the one who asked", async () => {
  await world.unknownEmail("INV-F1");
  const ivo = await world.open("ivo", "reviews");
  await ivo.getByRole("link", { name: /INV-F1/ }).click();
  await ivo.getByRole("button", { name: "Force: Send it once more" }).click();
  await ivo.getByLabel("Reason").fill("the owner says that nothing came");
  await ivo.getByRole("button", { name: "Ask for a second person" }).click();
  await ivo.getByText("You asked for it, so somebody else must confirm it.").waitFor();
  expect(await world.applied("INV-F1")).toMatchObject({ "email.send_notification.v1": 1 });
  const una = await world.open("una", "reviews");
  await una.getByRole("link", { name: /INV-F1/ }).click();
  const confirm = una.getByRole("form", { name: "Confirm what is forced" });
  await confirm.getByLabel("Reason").fill("I have asked the owner, too");
  await confirm.getByRole("button").click();
  await una.getByText("Resolved.", { exact: true }).waitFor();
  await world.until("INV-F1", ({ effects }) => effects.at(-1)?.status === "confirmed");
  expect(await world.applied("INV-F1")).toMatchObject({ "email.send_notification.v1": 2 });
});

test("a provider's report that finds no effect is shown, and what to do once it is given up", async () => {
  await world.post(world.raised("INV-P1"));
  const { case: record } = await world.until("INV-P1", isDone);
  const data = { id: "cn-9", idempotencyKey: "nobody", invoice: "INV-P", amount: "1" };
  const timestamp = "2026-11-29T11:00:00Z";
  const report = { source: "acme-portal", id: "portal-9", type: "credit_note.issued", timestamp };
  expect(await world.post({ ...report, data: { ...data, currency: "EUR" } })).toBe(202);
  const page = await world.open("rita", "reports");
  const early = page.getByRole("row", { name: /cn-9/ });
  await early.getByText(/looked for/).waitFor();
  expect(await page.getByText("What to do about one").count()).toBe(0);
  // An hour later.
  await world.cases(async (cases) => {
    const query = 'SELECT * FROM c WHERE c.type = "report" AND c.eventId = "portal-9"';
    const { resources } = await cases.items.query<Record<string, unknown>>(query).fetchAll();
    const { retryAtMs: _none, ...found } = resources[0] ?? {};
    const about = { kind: "operation", caseKey: `acme:${record.caseId}`, operationId: "not-ours" };
    const outcome = { kind: "unmatched", atMs: Date.now(), found: 0 };
    await cases.items.upsert({ ...found, about, outcome });
  });
  await early.getByText("given up").waitFor();
  await page.getByText("Ask the provider, by its id, who ordered it").waitFor();
  expect(await page.locator("main").innerText()).not.toContain("INV-P");
  expect(await violations(page)).toEqual([]);
  await early.getByRole("link").click();
  await page.getByRole("heading", { name: "Case INV-P1" }).waitFor();
});

test("markup in a payload stays text, and runs nothing", async () => {
  const invoice = "INV-<img src=x onerror=document.title='run'>";
  const { case: record } = await world.unknownEmail(invoice);
  const page = await world.open("olga", `cases/${record.caseId}`);
  await page.getByRole("heading", { name: `Case ${invoice}` }).waitFor();
  expect(await page.getByLabel("Frozen payload").first().innerText()).toContain(invoice);
  await page.goto(`${world.host.url}/api/console#/acme/reviews`);
  await page.getByRole("link", { name: invoice }).waitFor();
  expect(await page.locator("main img, main script").count()).toBe(0);
  expect(await page.title()).toBe("Reviews · Countersign");
});
