// Ages and times: what matters first is how long ago; the exact time is there for the record.
import { signal } from "@preact/signals";
import { spanText, timeText } from "../words.ts";

/** Ticks for all of them at once; nothing is asked of the app. */
export const nowMs = signal(Date.now());
setInterval(() => {
  if (!document.hidden) nowMs.value = Date.now();
}, 1000);

export function Ago({ atMs }: { atMs: number }) {
  return (
    <time dateTime={new Date(atMs).toISOString()} title={timeText(atMs)}>
      {spanText(nowMs.value - atMs)} ago
    </time>
  );
}

/** How long it has lasted. */
export function For({ atMs }: { atMs: number }) {
  return (
    <time dateTime={new Date(atMs).toISOString()} title={timeText(atMs)}>
      for {spanText(nowMs.value - atMs)}
    </time>
  );
}

export function Until({ atMs }: { atMs: number }) {
  const leftMs = atMs - nowMs.value;
  return (
    <time dateTime={new Date(atMs).toISOString()} title={timeText(atMs)}>
      {leftMs > 0 ? `in ${spanText(leftMs)}` : `${spanText(-leftMs)} ago`}
    </time>
  );
}

export function At({ atMs }: { atMs: number }) {
  return <time dateTime={new Date(atMs).toISOString()}>{timeText(atMs)}</time>;
}
