// The console for everybody: each view under WCAG 2.2 AA by axe, light and dark, and on a screen of 375 px without a scroll to the
// side; by keyboard; and live without a reload.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import type { BrowserContextOptions } from "playwright-core";
import { violations } from "./axe.ts";
import { openConsoleWorld, type ConsoleWorld } from "./console-world.ts";

let world: ConsoleWorld;
let views: [string, string][] = [];
beforeAll(async () => {
  world = await openConsoleWorld();
  const { case: record, reviews } = await world.unknownEmail("INV-L1");
  await world.revoke("portal.request_credit_note.v1");
  await world.post(world.raised("INV-L2"));
  await world.askApproval("INV-L2");
  await world.grant("portal.request_credit_note.v1");
  const asked = await world.until("INV-L2", ({ log }) => JSON.stringify(log).includes("approval"));
  const review = z.looseObject({ id: z.string() }).parse(reviews[0]);
  views = [
    ["reviews", "INV-L1"],
    [`reviews/${record.caseId}/${encodeURIComponent(review.id)}`, "Choices, and what each does"],
    ["approvals", "INV-L2"],
    [
      `approvals/${asked.case.caseId}/${encodeURIComponent("approval:1:1")}`,
      "What exactly would be sent",
    ],
    ["cases", "INV-L1"],
    [`cases/${record.caseId}`, "As a table"],
    ["dead-letters", "Drain the whole queue"],
    ["reports", "has found its effect"],
    ["grants", "Give a grant"],
    ["overview", "Start a drain"],
    ["records", "Test admin"],
  ];
}, 60_000);
afterAll(() => world.close());

async function looks(options: BrowserContextOptions): Promise<unknown[]> {
  const page = await world.open("e2e-admin", "reviews", options);
  const wrong: unknown[] = [];
  for (const [view, text] of views) {
    await page.goto(`${world.host.url}/api/console#/acme/${view}`);
    await page.locator("main").getByText(text).first().waitFor();
    const found = await violations(page);
    if (found.length > 0) wrong.push([view, ...found]);
    const width = await page.evaluate("document.documentElement.scrollWidth");
    const most = options.viewport?.width ?? 1200;
    if (Number(width) > most) wrong.push(`${view} is ${String(width)} px wide`);
  }
  await page.context().close();
  return wrong;
}

describe("every view", () => {
  test("is accessible in light colours", async () => {
    expect(await looks({ colorScheme: "light" })).toEqual([]);
  });

  test("is accessible in dark colours, and on a small screen without a scroll to the side", async () => {
    const small = { colorScheme: "dark", viewport: { width: 375, height: 700 } } as const;
    expect(await looks(small)).toEqual([]);
  });
});

test("new work shows up by itself, and nothing is asked while nobody looks", async () => {
  const page = await world.open("olga", "reviews");
  await page.getByRole("link", { name: /INV-L1/ }).waitFor();
  await page.clock.install();
  await page.reload();
  await page.getByRole("link", { name: /INV-L1/ }).waitFor();
  let asked = 0;
  page.on("request", () => (asked += 1));
  const look = async (isHidden: boolean) => {
    await page.evaluate(`Object.defineProperty(document, "hidden", { value: ${isHidden}, configurable: true });
      document.dispatchEvent(new Event("visibilitychange"))`);
  };
  await look(true);
  await page.clock.runFor(4_100);
  const before = asked;
  await page.clock.runFor(120_000);
  expect(asked).toBe(before);
  await world.unknownEmail("INV-L3");
  await look(false);
  await page.getByRole("link", { name: /INV-L3/ }).waitFor();
});

test("dark colours that somebody has chosen stay chosen, whatever the system says", async () => {
  const page = await world.open("olga", "reviews", { colorScheme: "light" });
  const background = () => page.evaluate("getComputedStyle(document.body).backgroundColor");
  const light = await background();
  await page.getByLabel("Colours").selectOption("Dark");
  const dark = await background();
  expect(dark).not.toBe(light);
  await page.reload();
  await page.getByRole("heading", { level: 1 }).waitFor();
  expect(await background()).toBe(dark);
  await page.getByLabel("Colours").selectOption("As the system");
  expect(await background()).toBe(light);
});

test("the keyboard reaches all: skip link, sections, rows, help; and single keys can be switched off", async () => {
  const page = await world.open("olga", "cases");
  await page.getByRole("link", { name: /INV-L1/ }).waitFor();
  const focused = () => page.evaluate("document.activeElement.textContent");
  await page.getByRole("button", { name: "Skip to the content" }).focus();
  await page.keyboard.press("Enter");
  expect(await page.evaluate("document.activeElement.id")).toBe("main");
  await page.keyboard.press("/");
  await page.keyboard.type("INV-L1");
  await page.keyboard.press("Enter");
  await expect.poll(() => page.locator("[data-row]").count()).toBe(1);
  await page.getByRole("button", { name: "Search" }).focus();
  await page.keyboard.press("k");
  expect(await focused()).toContain("INV-L1");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Case INV-L1" }).waitFor();
  await page.keyboard.press("u");
  await page.getByRole("heading", { name: "Cases" }).waitFor();
  await page.keyboard.press("?");
  const help = page.getByRole("dialog", { name: "Keys" });
  await help.waitFor();
  await help.getByLabel("Single keys are on").uncheck();
  await page.keyboard.press("Escape");
  await help.waitFor({ state: "hidden" });
  await page.keyboard.press("1");
  expect(await page.evaluate("location.hash")).toBe("#/acme/cases");
});
