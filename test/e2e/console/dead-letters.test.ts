// Dead letters are drained in a browser that is closed in the middle of it: none is lost, and no effect happens twice.
import { randomBytes, randomUUID } from "node:crypto";
import { ServiceBusClient } from "@azure/service-bus";
import { afterAll, beforeAll, expect, test } from "vitest";
import { principalHeader } from "../../../local/host/http/principal.ts";
import { makeDeadLetters, type Unwanted } from "../../../local/service-bus/make-dead-letters.ts";
import { caseIdOf } from "../../../shared/domain/identity.ts";
import { z } from "zod";
import { isDone, waitUntil } from "../local-world.ts";
import { violations } from "./axe.ts";
import { openConsoleWorld, type ConsoleWorld } from "./console-world.ts";

const caseIdKey = randomBytes(32);
const lettersOfCase = 50;
const invoices = ["INV-D1", "INV-D2", "INV-D3"];
const once = {
  "portal.request_credit_note.v1": 1,
  "portal.mark_invoice.v1": 1,
  "email.send_notification.v1": 1,
};

function hint(invoice: string, body?: unknown): Unwanted {
  const caseKey = `acme:${caseIdOf(caseIdKey, "acme", invoice)}`;
  const hintId = randomUUID();
  return {
    sessionId: caseKey,
    messageId: hintId,
    contentType: "application/json",
    body: body ?? { caseKey, hintId, reason: "due" },
  };
}

async function plant(connectionString: string): Promise<void> {
  const client = new ServiceBusClient(connectionString);
  await makeDeadLetters(client, "cases", {
    messages: invoices.flatMap((invoice) =>
      Array.from({ length: lettersOfCase }, () => hint(invoice)),
    ),
    by: { deadLetterReason: "WorkerLost", deadLetterErrorDescription: "the worker was lost" },
  });
  await makeDeadLetters(client, "cases", {
    messages: [hint("INV-D1", { note: "<b>no hint</b>" })],
    by: { deadLetterReason: "Malformed", deadLetterErrorDescription: "this is no hint" },
  });
  await client.close();
}

let world: ConsoleWorld;
beforeAll(async () => {
  world = await openConsoleWorld({
    beforeHost: plant,
    settings: { CASE_ID_KEY: caseIdKey.toString("base64") },
  });
}, 60_000);
afterAll(() => world.close());

test("the overview shows what the broker itself counts, and nobody who is bound to one tenant sees it", async () => {
  const planted = lettersOfCase * invoices.length + 1;
  const page = await world.open("olga", "overview");
  await page.getByRole("row", { name: `cases 0 0 ${planted}` }).waitFor();
  await page.getByText(`cases: 0`).waitFor();
  expect(await violations(page)).toEqual([]);
  const bound = principalHeader({ id: "r-1", name: "Rea", roles: ["admin@acme"] });
  const answer = await fetch(`${world.host.url}/api/queues`, {
    headers: { "x-ms-client-principal": bound },
  });
  expect(answer.status).toBe(403);
});

test("dead letters are drained by cause after a dry run, in a browser that is closed in mid-run and opened again", async () => {
  for (const invoice of ["INV-D1", "INV-D2"]) {
    await world.post(world.raised(invoice));
    await world.until(invoice, isDone);
  }
  await world.unknownEmail("INV-D3");
  const first = await world.open("olga", "dead-letters");
  // The browser is closed before the second part of the run leaves it.
  await first.route("**/resubmit", async (route) => {
    const { cursor, dryRun } = Asked.parse(route.request().postDataJSON());
    if (dryRun || cursor === undefined) await route.continue();
  });
  await begin(first, lettersOfCase * invoices.length);
  await first.getByText("100 of 150 moved").waitFor();
  await first.context().close();
  expect(await resubmitted()).toBe(100);

  const second = await world.open("olga", "dead-letters");
  const cause = second.getByRole("article", { name: "Cause WorkerLost" });
  await begin(second, lettersOfCase * invoices.length - 100);
  expect(await violations(second)).toEqual([]);
  await cause.waitFor({ state: "hidden" });
  expect(await resubmitted()).toBe(lettersOfCase * invoices.length);

  const malformed = second.getByRole("article", { name: "Cause Malformed" });
  await malformed.getByRole("button", { name: /Look at each/ }).click();
  await malformed.getByText("<b>no hint</b>").waitFor();
  await malformed.getByText("each look fails again").first().waitFor();
  await malformed.getByLabel(/^Archive/).check();
  await malformed.getByLabel("Reason").fill("a test of last year");
  await malformed.getByRole("button", { name: "Try it dry first" }).click();
  await malformed.getByRole("button", { name: "Archive 1 letter now" }).click();
  await second.getByRole("region", { name: "Queue cases" }).getByText("Empty.").waitFor();

  await waitUntil("the queue is worked off", async () => {
    const answer = await fetch(`${world.host.url}/api/dead-letters/acme/cases/causes`);
    return ((await answer.json()) as { count: number }).count === 0;
  });
  for (const invoice of invoices) expect(await world.applied(invoice)).toEqual(once);
  await second.getByText("Archived ones").click();
  const archived = second.getByRole("region", { name: "Archived dead letters, table" });
  await archived.getByText("archived: a test of last year").waitFor();
  expect(await archived.locator("tbody tr").innerText()).toMatch(
    /olga.*cases \d+.*<b>no hint<\/b>/s,
  );
}, 60_000);

const Asked = z.object({ dryRun: z.boolean(), cursor: z.string().optional() });
const Records = z.object({
  records: z.array(
    z.object({
      outcome: z.object({ kind: z.string(), detail: z.string().optional() }),
    }),
  ),
});

/** As the records of what people did say it. */
async function resubmitted(): Promise<number> {
  const answer = await fetch(`${world.host.url}/api/operator-records/acme?max=100`);
  const counts = Records.parse(await answer.json()).records.map(({ outcome }) =>
    Number(/(\d+) resubmitted/.exec(outcome.detail ?? "")?.[1] ?? 0),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}

async function begin(
  page: Awaited<ReturnType<ConsoleWorld["open"]>>,
  count: number,
): Promise<void> {
  const cause = page.getByRole("article", { name: "Cause WorkerLost" });
  await cause.getByRole("button", { name: /Look at each/ }).click();
  await cause
    .getByText(/nothingToRepeat|blockedByUnknown/)
    .first()
    .waitFor();
  await cause.getByLabel("Reason").fill("the workers are back");
  await cause.getByRole("button", { name: "Try it dry first" }).click();
  await cause.getByText(`It would be: ${count} resubmitted`).waitFor();
  await cause.getByText(/\d+ × blockedByUnknown: Blocked by unknown effect/).waitFor();
  await cause.getByRole("button", { name: `Resubmit ${count} letters now` }).click();
}
