// How answers are shown: plain tables for people, the API's own JSON for scripts.
//
// What comes from outside may hold anything: control characters never reach the terminal.
import Table from "cli-table3";

const none = "";
const borderless = {
  top: none,
  "top-mid": none,
  "top-left": none,
  "top-right": none,
  bottom: none,
  "bottom-mid": none,
  "bottom-left": none,
  "bottom-right": none,
  left: none,
  "left-mid": none,
  mid: none,
  "mid-mid": none,
  right: none,
  "right-mid": none,
  middle: "  ",
};
const plain = { head: [], border: [], "padding-left": 0, "padding-right": 0 };

/** An empty list is said in words, with what to do next. */
export function table(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  whenEmpty = "Nothing.",
  columns = terminalColumns(),
): string {
  if (rows.length === 0) return whenEmpty;
  const cells = [head.map((name) => name.toUpperCase()), ...rows.map((row) => row.map(printable))];
  const colWidths = widthsWithin(columns, cells);
  const made = new Table({ chars: borderless, style: plain, colWidths, wordWrap: true });
  made.push(...cells);
  return trimmed(made.toString());
}

/** Undefined where nobody looks: a pipe takes lines of any length. */
function terminalColumns(): number | undefined {
  return process.stdout.isTTY ? process.stdout.columns : undefined;
}

const gap = 2;
const narrowest = 24;

/** The widest column gives way, and wraps; the others are as wide as they are: ids and times stay whole, to be pasted. */
function widthsWithin(columns: number | undefined, cells: readonly string[][]): (number | null)[] {
  const widths = (cells[0] ?? []).map((_, index) =>
    Math.max(...cells.map((row) => row[index]?.length ?? 0)),
  );
  const free = widths.map((): number | null => null);
  if (columns === undefined) return free;
  const excess = widths.reduce((sum, width) => sum + width + gap, -gap) - columns;
  const widest = Math.max(...widths);
  const at = widths.indexOf(widest);
  return excess <= 0 ? free : free.with(at, Math.max(narrowest, widest - excess));
}

/** Names on the left, values on the right; a value may have several lines. */
export function facts(rows: readonly (readonly [string, string | undefined])[]): string {
  const made = new Table({ chars: borderless, style: plain });
  for (const [name, value] of rows) {
    if (value !== undefined && value !== "")
      made.push([name, value.split("\n").map(printable).join("\n")]);
  }
  return trimmed(made.toString());
}

function trimmed(text: string): string {
  return text
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n");
}

export function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, " ");
}

export function json(value: unknown): string {
  return JSON.stringify(value, null, 2);
}

/** The operator's own time of day would differ from the colleague's: UTC, to the second. */
export function time(atMs: number | undefined): string {
  if (atMs === undefined) return "";
  return `${new Date(atMs).toISOString().slice(0, 19).replace("T", " ")}Z`;
}

export function age(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 120) return `${minutes} min`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} d`;
}

/** Of a payload or of facts: one line a field. */
export function fields(content: Readonly<Record<string, unknown>> | undefined): string | undefined {
  if (content === undefined) return undefined;
  return Object.entries(content)
    .map(([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join("\n");
}
