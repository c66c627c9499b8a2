// The problems of intake, in words: each says what is wrong and what the sender can do about it.
import type { FieldError, Problem } from "../problem.ts";

/** 256 KB, so that an event always fits its document with room to spare. */
export const bodyBytesMax = 256 * 1024;
export const eventIdLengthMax = 200;

/** What a program writes when it has no id: all such deliveries would share one. */
const noId = /^(null|undefined|none|nil|nan|\[object object\])$/i;

export function wrongEventId(eventId: string): Problem | undefined {
  if (eventId.length > eventIdLengthMax) return invalidId(`is longer than ${eventIdLengthMax}`);
  return noId.test(eventId.trim()) ? invalidId("is no id") : undefined;
}

function invalidId(detail: string): Problem {
  return {
    status: 400,
    slug: "invalid-headers",
    detail: `Send a webhook-id of 1 to ${eventIdLengthMax} characters that is unique to this event, and the same whenever it is sent again.`,
    errors: [{ field: "webhook-id", detail }],
  };
}

export const unknownSource: Problem = {
  status: 404,
  slug: "unknown-source",
  detail: "No source of this name is configured; check the last part of the path.",
};

export const tooLarge: Problem = {
  status: 413,
  slug: "body-too-large",
  detail: `The body may have at most ${bodyBytesMax} bytes. Send less, and refer to the rest.`,
};

export const eventIdReused: Problem = {
  status: 409,
  slug: "event-id-reused",
  detail:
    "This webhook-id was received before with another body, which stands. Send a new event under an id of its own.",
};

export function invalidBody(errors: readonly FieldError[]): Problem {
  const fields = errors.map(({ field }) => field).join(", ");
  const detail = `The body cannot be taken; look at ${fields.slice(0, 300)}.`;
  return { status: 400, slug: "invalid-body", detail, errors };
}

const aheadMsMax = 24 * 3_600_000;

/** What a wrong clock dates into the future would make all that its source tells until then count as older, unheard. */
export function datedAhead(orderKey: string, nowMs: number): Problem | undefined {
  if (Date.parse(orderKey) <= nowMs + aheadMsMax) return undefined;
  const detail = "is more than a day ahead of the time here; check the clock of the source";
  return invalidBody([{ field: "timestamp", detail }]);
}

export function unavailable(what: string): Problem {
  const retryAfterSeconds = 5;
  return {
    status: 503,
    slug: "try-again",
    detail: `${what} Send the same delivery again, under the same webhook-id.`,
    retryAfterSeconds,
  };
}

export const notOurReport: Problem = {
  status: 404,
  slug: "not-our-report",
  detail: "The delivery reports on no operation of ours; that it came is recorded.",
};
