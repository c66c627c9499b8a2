// The list of providers' reports, as an operator gets it.
import { expect, test } from "vitest";
import { listReports } from "../../../shared/flow/operate/about/list-reports.ts";
import { memoryCases } from "../../memory/memory-cases.ts";
import { memoryReports } from "../../memory/memory-reports.ts";
import { aReport } from "../../stores/documents.ts";

async function listed(reports: readonly Parameters<typeof aReport>[1][], mayReadContent = true) {
  const store = memoryReports(memoryCases({ nowMs: () => 0 }));
  for (const [n, report] of reports.entries()) {
    await store.create(aReport("acme", { id: `report:${n}`, receivedAtMs: n, ...report }));
  }
  const reply = await listReports({ reports: store }, "acme", mayReadContent);
  if (reply.kind !== "done") throw new Error("it was not answered");
  return reply.body;
}

const givenUp = { outcome: { kind: "unmatched", atMs: 9, found: 0 } } as const;

test("a report that waits for a person comes before those still looked for, each oldest first", async () => {
  const { isMore, reports } = await listed([{}, givenUp, {}, givenUp]);
  expect(reports.map(({ id }) => id)).toEqual(["report:1", "report:3", "report:0", "report:2"]);
  expect(isMore).toBe(false);
});

test("a list that is not whole says so", async () => {
  const { isMore, reports } = await listed(Array.from({ length: 501 }, () => ({})));
  expect([reports.length, isMore]).toEqual([500, true]);
});

test("whom a report is for, and what it echoed, is not for who only reads", async () => {
  const content = { target: "INV-1", echoed: { amount: "12.50" } };
  expect((await listed([content])).reports).toMatchObject([content]);
  expect(JSON.stringify(await listed([content], false))).not.toMatch(/INV-1|12\.50/);
});
