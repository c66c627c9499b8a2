// The page: all measurements, the latest cases, and the traces of one case as an indented tree. Plain HTML, no script.
import type { Series } from "./metrics.ts";
import type { Node, Trace } from "./traces.ts";

const casesShown = 50;

export function metricsPage(series: readonly Series[], cases: readonly string[]): string {
  const rows = series.map(
    (one) =>
      `<tr><td>${escaped(one.name)}</td><td>${escaped(attributesText(one.attributes))}</td>` +
      `<td class="n">${escaped(valueText(one))}</td></tr>`,
  );
  const links = cases
    .slice(0, casesShown)
    .map((key) => `<li><a href="/cases/${encodeURIComponent(key)}">${escaped(key)}</a></li>`);
  return page(
    "Telemetry",
    `<h2>Measurements</h2>
<table><tr><th>metric</th><th>attributes</th><th>value</th></tr>${rows.join("\n")}</table>
<h2>Latest cases</h2><ol>${links.join("\n")}</ol>`,
  );
}

export function casePage(caseKey: string, traces: readonly Trace[]): string {
  const trees = traces.map(
    ({ roots, traceId }) =>
      `<h2>Trace ${escaped(traceId)}</h2><pre>${escaped(roots.map((root) => treeText(root)).join(""))}</pre>`,
  );
  const none = "<p>Nothing was told of this case, or not yet.</p>";
  return page(`Case ${caseKey}`, trees.length === 0 ? none : trees.join("\n"));
}

/** One line a span; attributes only where they differ from the span's above. */
export function treeText(node: Node, depth = 0, above: Node["attributes"] = {}): string {
  const own = Object.entries(node.attributes).filter(([name, value]) => above[name] !== value);
  const told = own.map(([name, value]) => `${name.replace("countersign.", "")}=${String(value)}`);
  const head = `${"  ".repeat(depth)}${node.name}${node.failed ? " FAILED" : ""}`;
  const line = `${head.padEnd(34)} ${node.durationMs.toFixed(1).padStart(9)} ms  ${told.join(" ")}`;
  const below = node.children.map((child) => treeText(child, depth + 1, node.attributes));
  return `${line.trimEnd()}\n${below.join("")}`;
}

function attributesText(attributes: Node["attributes"]): string {
  return Object.entries(attributes)
    .map(([name, value]) => `${name}=${String(value)}`)
    .join(" ");
}

function valueText({ count, kind, max, unit, value }: Series): string {
  const withUnit = (amount: number) => `${Number(amount.toFixed(2))} ${unit}`.trim();
  if (kind !== "histogram" || count === undefined || count === 0) return withUnit(value);
  return `${count} values, mean ${withUnit(value / count)}, longest ${withUnit(max ?? 0)}`;
}

function page(title: string, body: string): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${escaped(title)}</title>
<style>body{font:14px system-ui;margin:2rem;max-width:80rem}table{border-collapse:collapse}
td,th{padding:.2rem .8rem;text-align:left;border-bottom:1px solid #ccc}.n{text-align:right}pre{overflow-x:auto}</style>
</head><body><h1>${escaped(title)}</h1><p><a href="/">All measurements</a></p>${body}</body></html>`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
