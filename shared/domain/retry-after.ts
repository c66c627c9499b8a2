// What a provider asks for in `retry-after`, as milliseconds, or undefined when it asks for nothing usable.
//
//   "120"  "0.493"        seconds, a fraction included
//   an HTTP date in GMT   the time until then
//   absent, "-5", "soon", a date that has passed    nothing: the caller's own back-off stands
//
// Capped, so that no header can put an effect to sleep for good; never NaN, so that nothing is tried again at once (cases.md 57).
// back-off.ts takes the longer of this and its own wait.

export const retryAfterMsMax = 15 * 60_000;

const seconds = /^\d{1,15}(\.\d{1,15})?$/;
const httpDate = /^[A-Z][a-z]{2,8}, \d{2}[ -][A-Z][a-z]{2}[ -]\d{2,4} \d{2}:\d{2}:\d{2} GMT$/;

export function retryAfterMsOf(header: string | null, nowMs: number): number | undefined {
  const text = header?.trim() ?? "";
  if (seconds.test(text)) return Math.min(retryAfterMsMax, Math.ceil(Number(text) * 1000));
  if (!httpDate.test(text)) return undefined;
  const untilMs = Date.parse(text) - nowMs;
  return untilMs > 0 ? Math.min(retryAfterMsMax, Math.ceil(untilMs)) : undefined;
}
