// Durations as host.json writes them: "hh:mm:ss", "d.hh:mm:ss", with an optional fraction; -1 is "no limit".
const TIME_SPAN = /^(-)?(?:(\d+)\.)?(\d{1,2}):(\d{1,2})(?::(\d{1,2})(\.\d{1,7})?)?$/;

/** Milliseconds, or undefined when the text is no time span. */
export function timeSpanMs(text: string): number | undefined {
  const match = TIME_SPAN.exec(text);
  if (match === null) return undefined;
  const [, sign, days = "0", hours = "0", minutes = "0", seconds = "0", fraction = ""] = match;
  const wholeMs =
    (((Number(days) * 24 + Number(hours)) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000;
  const ms = wholeMs + Math.round(Number(`0${fraction}`) * 1000);
  return sign === undefined ? ms : -ms;
}
