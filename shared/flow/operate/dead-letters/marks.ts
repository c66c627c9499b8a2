// What a resubmitted copy says of its past, in application properties of its own; everything else of the message stays.
//
//   countersign-resubmits      how often it was sent again: the broker's own count begins anew with each copy
//   countersign-original-id    the message id that it had first
//   countersign-first-seen     when that one came in, in milliseconds
//   countersign-run            the run that sent this copy, so that a run never takes up its own
//   countersign-past           why it was a dead letter, the last few times: the old reason is no longer the reason
import { z } from "zod";
import type { DeadLetter, Properties } from "../../../stores/dead-letter-port.ts";

const names = {
  count: "countersign-resubmits",
  originalId: "countersign-original-id",
  firstSeen: "countersign-first-seen",
  run: "countersign-run",
  past: "countersign-past",
} as const;

export interface Marks {
  resubmitCount: number;
  originalId: string | undefined;
  firstSeenMs: number | undefined;
  runId: string | undefined;
}

/** After so many copies it is parked: something is wrong that another look does not cure. */
export const resubmitsMax = 5;
const pastMax = 5;
const pastTextMax = 200;

const Count = z.coerce.number().int().nonnegative();
const Past = z.array(z.record(z.string(), z.unknown()));

/** Whatever somebody else has put under these names is no mark. */
export function marksOf({ properties }: Pick<DeadLetter, "properties">): Marks {
  const text = (name: string) => {
    const value = properties[name];
    return typeof value === "string" ? value : undefined;
  };
  const firstSeen = Count.safeParse(properties[names.firstSeen]);
  return {
    resubmitCount: Count.safeParse(properties[names.count] ?? 0).data ?? 0,
    originalId: text(names.originalId),
    firstSeenMs: firstSeen.success && firstSeen.data > 0 ? firstSeen.data : undefined,
    runId: text(names.run),
  };
}

/** Without the past where a message with it would be too large. */
export function markedProperties(
  letter: DeadLetter,
  now: { runId: string; atMs: number; withPast: boolean },
): Properties {
  const {
    firstSeenMs = letter.enqueuedAtMs ?? now.atMs,
    originalId,
    resubmitCount,
  } = marksOf(letter);
  const { [names.past]: past, ...kept } = letter.properties;
  return {
    ...kept,
    [names.count]: resubmitCount + 1,
    [names.originalId]: originalId ?? letter.messageId,
    [names.firstSeen]: firstSeenMs,
    [names.run]: now.runId,
    ...(now.withPast ? { [names.past]: pastText(past, letter, now.atMs) } : {}),
  };
}

function pastText(past: unknown, { description, reason }: DeadLetter, atMs: number): string {
  const known = Past.safeParse(typeof past === "string" ? jsonOf(past) : undefined).data ?? [];
  const last = {
    reason: cut(reason),
    description: cut(description),
    resubmittedAtMs: atMs,
  };
  return JSON.stringify([...known, last].slice(-pastMax));
}

function cut(text: string | undefined): string {
  return (text ?? "").slice(0, pastTextMax);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
