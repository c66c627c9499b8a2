// The schedules of a deployment: which event is recorded, for which case, and how often. UTC and whole minutes only.
//
//   {"acme-daily": {"tenantId": "acme", "workflow": "invoice-exception", "everyMinutes": 1440,
//     "startsAt": "2026-01-01T06:00:00Z", "event": {"type": "...", "data": {...}}}}
//
// Occurrences are counted from `startsAt`, so no time zone and no clock change can move, repeat or skip one (cases.md 74). A month
// is no whole number of minutes and cannot be expressed. "{occurrence}" in a text of the data becomes the occurrence's time: in
// the reference it makes each run a case of its own; without it all runs go to one case.
import { z } from "zod";
import type { Book } from "../../domain/definitions.ts";
import { TerminalFault } from "../../domain/faults.ts";
import { tenantIdPattern } from "../../domain/identity.ts";
import { readEvent, type ReadEvent } from "../intake/read-event.ts";

const minuteMs = 60_000;

const Schedule = z.strictObject({
  tenantId: z.string().regex(tenantIdPattern, "use 1 to 64 of a-z, 0-9 and -"),
  workflow: z.string().min(1).max(100),
  everyMinutes: z
    .int()
    .min(1)
    .max(366 * 24 * 60),
  startsAt: z.iso
    .datetime({ error: "must be a time in UTC, like 2026-01-01T06:00:00Z" })
    .refine((text) => Date.parse(text) % minuteMs === 0, "must be a whole minute"),
  event: z.strictObject({
    type: z.string().min(1).max(200),
    data: z.record(z.string(), z.json()),
  }),
});
export type Schedule = z.infer<typeof Schedule>;

const name = z.string().regex(/^[a-z0-9-]{1,64}$/, "use 1 to 64 of a-z, 0-9 and -");
export const Schedules = z.record(name, Schedule);
export type Schedules = z.infer<typeof Schedules>;

/** The last occurrence that is not in the future, as ISO text of whole seconds; undefined before the first. */
export function latestOccurrence(
  { everyMinutes, startsAt }: Pick<Schedule, "everyMinutes" | "startsAt">,
  nowMs: number,
): string | undefined {
  const startsAtMs = Date.parse(startsAt);
  if (nowMs < startsAtMs) return undefined;
  const everyMs = everyMinutes * minuteMs;
  const count = Math.floor((nowMs - startsAtMs) / everyMs);
  return `${new Date(startsAtMs + count * everyMs).toISOString().slice(0, 19)}Z`;
}

/** The event of one occurrence as the bytes of a webhook's body, so that it passes the same checks. */
export function occurrenceBytes({ event }: Schedule, occurrence: string): Buffer {
  const text = JSON.stringify({ type: event.type, timestamp: occurrence, data: event.data });
  return Buffer.from(text.replaceAll("{occurrence}", occurrence));
}

export function readOccurrence(book: Book, schedule: Schedule, bytes: Buffer): ReadEvent {
  const workflow = book.workflow(schedule.workflow);
  if (workflow !== undefined) return readEvent(workflow, bytes);
  return { kind: "broken", errors: [{ field: "workflow", detail: "is not registered here" }] };
}

/** Checks the schedules at start-up, not at their first run. Throws a TerminalFault that names the field. */
export function assertSchedules(book: Book, schedules: Schedules): void {
  for (const [scheduleName, schedule] of Object.entries(schedules)) {
    const bytes = occurrenceBytes(schedule, schedule.startsAt);
    const read = readOccurrence(book, schedule, bytes);
    if (read.kind === "event") continue;
    const wrong = read.errors.map(({ detail, field }) => `${field} ${detail}`).join("; ");
    throw new TerminalFault(`setting SCHEDULES.${scheduleName}: ${wrong}.`);
  }
}
