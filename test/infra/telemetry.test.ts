// Alerts and the workbook ask for what the app emits, and everything that it emits is written down. The queries are read,
// never executed: their language is known to Azure only.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { metrics, type MetricName } from "../../shared/telemetry/metrics.ts";
import { infra } from "./bicep.ts";

const root = join(infra, "..");
const source = (path: string) => readFileSync(join(root, path), "utf8");
const alerts = JSON.parse(source("infra/alerts.json")) as {
  queries: { name: string; query: string }[];
};
const workbook = JSON.parse(source("infra/workbook.json")) as {
  items: { name: string; content: { query?: string } }[];
};
const queries = [
  ...alerts.queries,
  ...workbook.items.map(({ name, content }) => ({ name, query: content.query ?? "" })),
];
const emitters = globSync(["shared/**/*.ts"], { cwd: root })
  .filter((path) => path !== "shared/telemetry/metrics.ts")
  .map((path) => source(path))
  .join("\n");

const namesIn = (text: string) =>
  [...text.matchAll(/'(countersign\.[a-z_.]+)'/g)].map(([, name = ""]) => name);

describe("a query", () => {
  test.each(queries)("of $name asks for metrics that the app emits", ({ query }) => {
    for (const name of namesIn(query)) expect(Object.keys(metrics)).toContain(name);
  });

  // A gauge added up over a window, or a counter's longest minute, would say nothing.
  const readings = { counter: "sum(Sum)", gauge: "max(Max)", histogram: "(" } as const;
  test.each(queries)("of $name reads each metric as its kind allows", ({ query }) => {
    const needed = namesIn(query).map((name) => readings[metrics[name as MetricName].kind]);
    expect(needed.filter((reading) => !query.includes(reading))).toEqual([]);
  });

  test.each(queries)("of $name asks for attributes that its metric has", ({ query }) => {
    const asked = [...query.matchAll(/Properties\.(\w+)/g)].map(([, attribute]) => attribute);
    const known = namesIn(query).flatMap((name) => [...metrics[name as MetricName].attributes]);
    for (const attribute of asked) expect(known).toContain(attribute);
  });
});

describe("a metric", () => {
  test.each(Object.keys(metrics))("%s is emitted somewhere in the app", (name) => {
    expect(emitters).toContain(`"${name}"`);
  });

  test("is in METRICS.md with its kind and its attributes, and no other is", () => {
    const rows = [
      ...source("infra/METRICS.md").matchAll(
        /^\| `(countersign[^`]+)` \| (\w+)[^|]* \| ([^|]*)\|/gm,
      ),
    ].map(([, name, kind, attributes = ""]) => [
      name,
      { kind, attributes: [...attributes.matchAll(/`(\w+)`/g)].map(([, one]) => one) },
    ]);
    const emitted = Object.entries(metrics).map(([name, { kind, attributes }]) => [
      name,
      { kind, attributes: [...attributes] },
    ]);
    expect(Object.fromEntries(rows)).toEqual(Object.fromEntries(emitted));
  });

  test("is emitted with no attribute that the catalogue does not name", () => {
    const told = [...emitters.matchAll(/count\("(countersign[^"]+)"(?:, \{ ([^}]*) \})?\)/g)];
    expect(told.length).toBeGreaterThan(8);
    for (const [, name, fields = ""] of told) {
      const attributes = fields.split(",").map((field) => field.split(":")[0]?.trim() ?? "");
      const known: readonly string[] = metrics[name as MetricName].attributes;
      expect([name, attributes.filter(Boolean).sort()]).toEqual([name, [...known].sort()]);
    }
  });

  test("of completion stands beside what is unresolved", () => {
    const completion = queries.filter(({ query }) => query.includes("cases.completed"));
    expect(completion).not.toEqual([]);
    for (const { query } of completion) expect(query).toContain("countersign.cases.unresolved");
  });
});

test("the host tells its own part in OpenTelemetry, too", () => {
  expect(JSON.parse(source("host.json"))).toMatchObject({ telemetryMode: "OpenTelemetry" });
});
