// Takes the pictures that README shows, of the real console on the real local Azure:
//
//   node local/setup.mjs test/e2e/console/take-screenshots.ts
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { openConsoleWorld } from "./console-world.ts";

const folder = join(import.meta.dirname, "../../../ops/console/screenshots");
mkdirSync(folder, { recursive: true });

const world = await openConsoleWorld();
const picture = (name: string) => ({ path: join(folder, `${name}.png`) });

await world.providers.order([
  { action: "portal.request_credit_note.v1", target: "INV-20931", fault: "commitThenDrop" },
]);
const { case: record, reviews } = await world.unknownEmail("INV-20931");
await world.unknownEmail("INV-20944");
await world.revoke("portal.mark_invoice.v1");
await world.post(world.raised("INV-20952"));
await world.until("INV-20952", ({ reviews }) => reviews.some(({ kind }) => kind === "NoGrant"));

const light = await world.open("olga", "reviews", {
  viewport: { width: 1000, height: 560 },
  colorScheme: "light",
});
await light.getByRole("link", { name: /INV-20952/ }).waitFor();
await light.screenshot(picture("reviews-light"));
const { id } = z.looseObject({ id: z.string() }).parse(reviews[0]);
await light.goto(
  `${world.host.url}/api/console#/acme/reviews/${record.caseId}/${encodeURIComponent(id)}`,
);
await light.getByText("Choices, and what each does").waitFor();
await light.setViewportSize({ width: 900, height: 1100 });
await light.screenshot(picture("review-light"));

const dark = await world.open("olga", `cases/${record.caseId}`, {
  viewport: { width: 1000, height: 760 },
  colorScheme: "dark",
});
await dark.getByText("As a table").waitFor();
await dark.screenshot(picture("case-dark"));
await world.close();
console.log(`in ${folder}`);
