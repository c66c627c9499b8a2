// Providers' reports on the command line, against the API as its OpenAPI document tells it.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { run } from "../../ops/cli/run.ts";
import { quietTerminal } from "./quiet-terminal.ts";
import { openStandIn, type StandIn } from "./stand-in.ts";

const caseId = "abcdefghijklmnopqrstuvwxyz";

let api: StandIn;
beforeAll(async () => {
  api = await openStandIn();
});
afterAll(() => api.close());

async function ops(...options: string[]): Promise<{ code: number; out: string; err: string }> {
  const terminal = quietTerminal();
  const line = ["reports", "list", "--tenant", "acme", ...options, "--url", api.url];
  return { code: await run(line, terminal), ...terminal.said };
}

describe("the reports of providers", () => {
  const waiting = {
    provider: "supplier-portal",
    source: "acme-portal",
    eventId: "d-1",
    about: { kind: "providerKey", providerKey: "k-1" },
    providerId: "CN-1\u001B[2J",
    stage: "delivered",
    receivedAtMs: 0,
    looks: 2,
    retryAtMs: 60_000,
  };
  const { retryAtMs: _none, ...looked } = waiting;
  const givenUp = {
    ...looked,
    eventId: "d-2",
    about: { kind: "operation", caseKey: `acme:${caseId}`, operationId: "op-1" },
    outcome: { kind: "unmatched", atMs: 3_600_000, found: 2 },
  };
  beforeEach(() =>
    api.answer({ "list-reports": { body: { reports: [givenUp, waiting], isMore: true } } }),
  );

  test("say what each is about, what became of it, and what to do about those given up", async () => {
    const { code, err, out } = await ops();
    expect(code).toBe(0);
    expect(out).toMatch(/operation op-1 of acme:.*given up at 1970-01-01 01:00:00Z: 2 effects/);
    expect(out).toMatch(/key k-1.*looked for 2 times; next at 1970-01-01 00:01:00Z/);
    expect(out).not.toContain("\u001B");
    expect(err).toContain("report-unmatched");
    expect(err).toContain("others that are not listed");
  });

  test("are the API's own rows in JSON, with nothing beside them", async () => {
    const { err, out } = await ops("--json", "--given-up");
    expect(JSON.parse(out)).toEqual({ reports: [givenUp], isMore: true });
    expect(err).toBe("");
  });

  test("that are only early ask nothing of anybody", async () => {
    api.answer({ "list-reports": { body: { reports: [waiting], isMore: false } } });
    expect((await ops()).err).toBe("");
  });
});
