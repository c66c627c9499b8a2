// Runs the schedules: each run is an event whose id is the schedule and the occurrence, so overlapping runs are one.
//
// The occurrence is the planned time, never the time at which a timer fired. Only the latest one is recorded: after an outage one
// run makes up for all that were missed. The event's id is all the state there is. The store tells the time, so a worker with a
// wrong clock invents no occurrence.
import { createHash } from "node:crypto";
import type { Book } from "../../domain/definitions.ts";
import { caseIdOf, caseKeyText, hintIdOf } from "../../domain/identity.ts";
import type { Event } from "../../domain/records/inbox.ts";
import { createEventOnce } from "../intake/create-event-once.ts";
import { newEvent } from "../intake/new-event.ts";
import type { TurnPorts } from "../turn/turn.ts";
import {
  latestOccurrence,
  occurrenceBytes,
  readOccurrence,
  type Schedule,
  type Schedules,
} from "./schedules.ts";

export interface SchedulePorts extends Pick<TurnPorts, "cases" | "control" | "hints" | "log"> {
  book: Book;
  schedules: Schedules;
  caseIdKey: Uint8Array;
  random(): string;
}

/** An error of one schedule is logged and stops no other; the same occurrence is tried again a minute later. */
export async function runSchedules(ports: SchedulePorts): Promise<void> {
  const schedules = Object.entries(ports.schedules);
  if (schedules.length === 0) return;
  const { storeMs } = await ports.control.read();
  if (storeMs === undefined) {
    ports.log.warn("no schedule was run: the store did not tell the time", {});
    return;
  }
  for (const [name, schedule] of schedules) {
    const occurrence = latestOccurrence(schedule, storeMs);
    if (occurrence === undefined) continue;
    try {
      await runOnce(ports, { name, schedule, occurrence, nowMs: storeMs });
    } catch (error) {
      const why = error instanceof Error ? error.name : "unknown";
      ports.log.error("a schedule could not be run", { schedule: name, occurrence, why });
    }
  }
}

interface Run {
  name: string;
  schedule: Schedule;
  occurrence: string;
  nowMs: number;
}

async function runOnce(ports: SchedulePorts, run: Run): Promise<void> {
  const { name, nowMs, occurrence } = run;
  const event = eventOf(ports, run);
  const lateMs = nowMs - Date.parse(occurrence);
  const log = { schedule: name, occurrence, caseKey: caseKeyText(event), lateMs };
  const recorded = await createEventOnce(ports.cases, event);
  switch (recorded.kind) {
    case "created":
      ports.log.info("scheduled event recorded", log);
      await hint(ports, event);
      return;
    case "notKnown":
      ports.log.warn("a scheduled event may not be recorded; it is tried again", log);
      return;
    // It was recorded before. If the setting has changed since, the recorded event stands.
    case "duplicate":
    case "otherContent":
      return;
  }
}

function eventOf(ports: SchedulePorts, { name, nowMs, occurrence, schedule }: Run): Event {
  const { tenantId, workflow } = schedule;
  const bytes = occurrenceBytes(schedule, occurrence);
  const read = readOccurrence(ports.book, schedule, bytes);
  // Start-up has checked this schedule, with another occurrence.
  if (read.kind === "broken") throw new Error(`schedule ${name} makes no event`);
  const { body, eventType, externalRef, orderKey } = read;
  return newEvent({
    tenantId,
    caseId: caseIdOf(ports.caseIdKey, tenantId, externalRef),
    // No webhook source has a dot in its name, so nobody can send such an event from outside.
    source: `schedule.${name}`,
    eventId: occurrence,
    eventType,
    workflow,
    externalRef,
    body,
    digest: createHash("sha256").update(bytes).digest("hex"),
    orderKey,
    receivedAtMs: nowMs,
  });
}

/** The event is durable and due: a lost hint loses nothing. */
async function hint({ hints, random }: SchedulePorts, event: Event): Promise<void> {
  const { caseId, tenantId } = event;
  const hintId = hintIdOf(event, event.id, random());
  await hints.send("cases", { tenantId, caseId, hintId, reason: "schedule" }).catch(() => {});
}
