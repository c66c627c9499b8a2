// NCRONTAB, as Azure's timers read it: six fields (seconds first) or five (seconds are 0), UTC.
// croner finds the times; this file refuses what NCrontab refuses and croner would accept: 7 as Sunday, `?`, `L`,
// `W`, `#`, `@daily`. Day of month AND day of week must both match; `5/15` runs from 5 to the end.
// A time span ("00:05:00") is taken too; on Azure only dedicated plans know it.
import { Cron } from "croner";
import { FunctionFault } from "../../settings/app-settings.ts";
import { timeSpanMs } from "../../settings/time-span.ts";

export type Schedule = {
  /** The first time after the given one, in milliseconds since 1970, or undefined when there is none. */
  nextMs(afterMs: number): number | undefined;
  /** Fires more often than once a minute: Azure then keeps no status and reports nothing as past due. */
  isFrequent: boolean;
};

const MONTHS = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec";
const DAYS = "sun|mon|tue|wed|thu|fri|sat";
const FIELDS = [
  { name: "second", names: "", min: 0, max: 59 },
  { name: "minute", names: "", min: 0, max: 59 },
  { name: "hour", names: "", min: 0, max: 23 },
  { name: "day", names: "", min: 1, max: 31 },
  { name: "month", names: MONTHS, min: 1, max: 12 },
  { name: "day of week", names: DAYS, min: 0, max: 6 },
];

function checkedField(text: string, field: (typeof FIELDS)[number], expression: string): string {
  const refuse = (part: string) =>
    new FunctionFault(`"${part}" is not a valid ${field.name} in the schedule "${expression}".`);
  return text
    .split(",")
    .map((part) => {
      const match = /^(\*|[a-z]+|\d+)(?:-([a-z]+|\d+))?(?:\/(\d+))?$/i.exec(part);
      if (match === null) throw refuse(part);
      const [, from = "", to, step] = match;
      if (from === "*" && to !== undefined) throw refuse(part);
      if (step !== undefined && Number(step) < 1) throw refuse(part);
      const named = (value: string) => {
        const short = value.slice(0, 3).toLowerCase();
        if (/^[a-z]/i.test(value)) {
          if (!field.names.split("|").includes(short)) throw refuse(part);
          return short;
        }
        if (Number(value) < field.min || Number(value) > field.max) throw refuse(part);
        return value;
      };
      const start = from === "*" ? "*" : named(from);
      const end = to === undefined ? "" : `-${named(to)}`;
      return `${start}${end}${step === undefined ? "" : `/${step}`}`;
    })
    .join(",");
}

export function schedule(expression: string): Schedule {
  const spanMs = timeSpanMs(expression.trim());
  if (spanMs !== undefined && spanMs > 0) {
    return { nextMs: (afterMs) => afterMs + spanMs, isFrequent: spanMs < 60_000 };
  }
  const given = expression.trim().split(/\s+/);
  const fields = given.length === 5 ? ["0", ...given] : given;
  if (fields.length !== 6) {
    throw new FunctionFault(`The schedule "${expression}" needs six fields, seconds first.`);
  }
  const checked = FIELDS.map((field, index) =>
    checkedField(fields[index] ?? "", field, expression),
  ).join(" ");
  const cron = new Cron(checked, {
    mode: "6-part",
    domAndDow: true,
    sloppyRanges: true,
    timezone: "Etc/UTC",
  });
  const nextMs = (afterMs: number) => cron.nextRun(new Date(afterMs))?.getTime();
  const first = nextMs(Date.now());
  if (first === undefined) {
    throw new FunctionFault(`The schedule "${expression}" never comes.`);
  }
  const second = nextMs(first);
  return { nextMs, isFrequent: second !== undefined && second - first < 60_000 };
}
