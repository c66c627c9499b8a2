// A time span as host.json writes it, "00:00:00.1", in milliseconds.
export function timeSpanMs(text: string): number {
  const match = /^(\d+):(\d\d):(\d\d(?:\.\d+)?)$/.exec(text);
  if (match === null) throw new Error(`host.json: ${text} is no time span like 00:00:01`);
  const [, hours, minutes, seconds] = match;
  return (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * 1000;
}
