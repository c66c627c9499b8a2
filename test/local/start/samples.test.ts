// The samples and their hand-written outcomes, checked against each other where arithmetic can.
import { describe, expect, test } from "vitest";
import { loadSamples } from "../../../local/start/run/samples.ts";
import type { Sample } from "../../../local/start/run/samples.ts";

const samples = await loadSamples(1);

function cents(amount: string): bigint {
  const [whole = "0", fraction = ""] = amount.split(".");
  return BigInt(whole + fraction.padEnd(2, "0"));
}

/** What was ordered, by the newest event of the case. */
function newestOrdered(sample: Sample): string {
  const told = sample.deliveries
    .filter(({ data }) => typeof data["ordered"] === "string")
    .toSorted((a, b) => b.offsetMs - a.offsetMs);
  return String(told[0]?.data["ordered"]);
}

describe("the samples", () => {
  test("are at least 24 cases in at least 3 tenants, most of them without faults", () => {
    expect(samples.length).toBeGreaterThanOrEqual(24);
    expect(new Set(samples.map(({ tenantId }) => tenantId)).size).toBeGreaterThanOrEqual(3);
    const faultless = samples.filter(({ faults }) => faults.length === 0);
    expect(faultless.length).toBeGreaterThan(samples.length / 2);
  });

  test("call nothing free of faults that has a fault, a kill or an order of events", () => {
    for (const { expected, faults, kill, deliveries } of samples) {
      if (!expected.faultFree) continue;
      expect([faults, kill, deliveries.length]).toEqual([[], undefined, 1]);
    }
  });

  test("have one recipient and one invoice of their tenant each, so that intents are told apart", () => {
    const invoices = samples.map(({ tenantId, invoice }) => `${tenantId} ${invoice}`);
    const recipients = samples.flatMap(({ deliveries }) =>
      deliveries.flatMap(({ data }) => data.accountOwnerEmail ?? []),
    );
    expect(new Set(invoices).size).toBe(samples.length);
    expect(new Set(recipients).size).toBe(samples.length);
    expect(new Set(samples.map(({ invoice }) => invoice)).size).toBeLessThan(samples.length);
  });

  test("post every delivery under an id of its own", () => {
    const ids = samples.flatMap(({ source, deliveries }) =>
      deliveries.map(({ id }) => `${source} ${id}`),
    );
    expect(new Set(ids).size).toBe(ids.length);
  });

  test("expect credit notes of exactly what was billed too much", () => {
    const notes = samples.flatMap((sample) => {
      const raised = sample.deliveries.find(({ type }) => type === "invoice.exception.raised");
      const billed = String(raised?.data["billed"]);
      return sample.expected.intents
        .filter(({ amount }) => amount !== undefined)
        .map(({ amount = "" }) => ({
          name: sample.name,
          expected: cents(amount),
          variance: cents(billed) - cents(newestOrdered(sample)),
        }));
    });
    expect(notes.length).toBeGreaterThan(15);
    for (const { name, expected, variance } of notes) {
      expect([name, expected]).toEqual([name, variance]);
    }
  });

  test("send the faults to their own invoice or recipient only", () => {
    for (const { faults, expected } of samples) {
      const targets = expected.intents.map(({ target }) => target);
      for (const { target } of faults) expect(targets).toContain(target);
    }
  });
});

describe("the samples of a second run on the same state", () => {
  test("are other invoices, recipients and deliveries, to the same ends", async () => {
    const second = await loadSamples(2);
    expect(second.map(({ invoice }) => invoice)).toEqual(
      samples.map(({ invoice }) => `${invoice}-R2`),
    );
    expect(second[0]?.expected.intents.map(({ target }) => target)).toEqual([
      "INV-20931-R2",
      "INV-20931-R2",
      "maria.oliveira+r2@acme.example",
    ]);
    expect(second[0]?.deliveries[0]?.id).toBe("dlv-20931-1-r2");
    expect(second.map(({ expected }) => expected.effects)).toEqual(
      samples.map(({ expected }) => expected.effects),
    );
  });
});
