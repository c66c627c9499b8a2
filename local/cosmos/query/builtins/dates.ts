// Built-in date and time functions, on ISO 8601 strings in UTC with seven digits of fraction, on
// milliseconds since 1970 and on ticks of 100 ns. "Now" is the server's clock.
import type { Clock } from "../../store/clock.ts";
import type { Value } from "../../store/json.ts";
import type { BuiltIn } from "./strings.ts";

const ISO = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,7})?)?)?(Z|[+-]\d\d:?\d\d)?$/;
const UNIT_MS: Record<string, number> = {
  day: 86_400_000,
  hour: 3_600_000,
  minute: 60_000,
  second: 1000,
  millisecond: 1,
};
const UNIT_SPELLINGS: Record<string, string> = {
  year: "year yyyy yy",
  month: "month mm m",
  day: "day dd d",
  hour: "hour hh",
  minute: "minute mi n",
  second: "second ss s",
  millisecond: "millisecond ms",
  microsecond: "microsecond mcs",
  nanosecond: "nanosecond ns",
};
const UNIT_NAMES = new Map(
  Object.entries(UNIT_SPELLINGS).flatMap(([unit, spellings]) =>
    spellings.split(" ").map((spelling) => [spelling, unit]),
  ),
);

export function parseDateMs(value: Value): number | undefined {
  if (typeof value !== "string" || !ISO.test(value)) return undefined;
  const hasZone = /(Z|[+-]\d\d:?\d\d)$/.test(value) && value.includes("T");
  const ms = Date.parse(hasZone || !value.includes("T") ? value : `${value}Z`);
  return Number.isNaN(ms) ? undefined : ms;
}

export function isoText(ms: number): Value {
  if (!Number.isFinite(ms) || Math.abs(ms) > 8.64e15) return undefined;
  return new Date(ms).toISOString().replace("Z", "0000Z");
}

function unitOf(value: Value): string | undefined {
  return typeof value === "string" ? UNIT_NAMES.get(value.toLowerCase()) : undefined;
}

function add([part, count, date]: Value[]): Value {
  const unit = unitOf(part);
  const ms = parseDateMs(date);
  if (unit === undefined || ms === undefined || typeof count !== "number") return undefined;
  if (unit === "year" || unit === "month") {
    const moved = new Date(ms);
    const day = moved.getUTCDate();
    moved.setUTCDate(1);
    moved.setUTCMonth(moved.getUTCMonth() + count * (unit === "year" ? 12 : 1));
    const last = new Date(
      Date.UTC(moved.getUTCFullYear(), moved.getUTCMonth() + 1, 0),
    ).getUTCDate();
    moved.setUTCDate(Math.min(day, last));
    return isoText(moved.getTime());
  }
  return isoText(ms + count * (UNIT_MS[unit] ?? 0));
}

function difference([part, from, to]: Value[]): Value {
  const unit = unitOf(part);
  const start = parseDateMs(from);
  const end = parseDateMs(to);
  if (unit === undefined || start === undefined || end === undefined) return undefined;
  const [first, last] = [new Date(start), new Date(end)];
  const years = last.getUTCFullYear() - first.getUTCFullYear();
  if (unit === "year") return years;
  if (unit === "month") return years * 12 + last.getUTCMonth() - first.getUTCMonth();
  if (unit === "microsecond") return (end - start) * 1e3;
  if (unit === "nanosecond") return (end - start) * 1e6;
  const ms = UNIT_MS[unit] ?? 1;
  return Math.floor(end / ms) - Math.floor(start / ms);
}

function part([name, date]: Value[]): Value {
  const ms = parseDateMs(date);
  if (ms === undefined || typeof name !== "string") return undefined;
  const at = new Date(ms);
  switch (unitOf(name)) {
    case "year":
      return at.getUTCFullYear();
    case "month":
      return at.getUTCMonth() + 1;
    case "day":
      return at.getUTCDate();
    case "hour":
      return at.getUTCHours();
    case "minute":
      return at.getUTCMinutes();
    case "second":
      return at.getUTCSeconds();
    case "millisecond":
      return at.getUTCMilliseconds();
    default:
      return ["weekday", "dw", "w"].includes(name.toLowerCase()) ? at.getUTCDay() + 1 : undefined;
  }
}

function fromParts(args: Value[]): Value {
  const numbers = args.filter((arg) => typeof arg === "number");
  if (numbers.length !== args.length || numbers.length < 3) return undefined;
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0, fraction = 0] = numbers;
  return isoText(Date.UTC(year, month - 1, day, hour, minute, second, fraction / 1e4));
}

/** Ticks in Cosmos DB count from 1970. */
const TICKS_PER_MS = 10_000;

export function dateFunctions(clock: Clock): Record<string, BuiltIn> {
  const ofDate =
    (apply: (ms: number) => Value): BuiltIn =>
    ([date]) => {
      const ms = parseDateMs(date);
      return ms === undefined ? undefined : apply(ms);
    };
  const ofNumber =
    (apply: (value: number) => Value): BuiltIn =>
    ([value]) =>
      typeof value === "number" ? apply(value) : undefined;
  const now: Record<string, BuiltIn> = {
    DATETIME: () => isoText(clock.nowMs()),
    TIMESTAMP: () => clock.nowMs(),
    TICKS: () => clock.nowMs() * TICKS_PER_MS,
  };
  const nows = Object.entries(now).flatMap(([name, built]) => [
    [`GETCURRENT${name}`, built],
    [`GETCURRENT${name}STATIC`, built],
  ]);
  return {
    ...(Object.fromEntries(nows) as Record<string, BuiltIn>),
    DATETIMEADD: add,
    DATETIMEDIFF: difference,
    DATETIMEPART: part,
    DATETIMEFROMPARTS: fromParts,
    DATETIMETOTIMESTAMP: ofDate((ms) => ms),
    DATETIMETOTICKS: ofDate((ms) => ms * TICKS_PER_MS),
    TIMESTAMPTODATETIME: ofNumber(isoText),
    TICKSTODATETIME: ofNumber((ticks) => isoText(ticks / TICKS_PER_MS)),
  };
}
