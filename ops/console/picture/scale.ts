// Where the moments of a case stand on a line. A case lives for milliseconds and for weeks: drawn to scale, all that matters
// would fall on one point. So the order is kept, and a gap grows with its logarithm; a short line is stretched. Pure.
//
//   the same moment -> the same place      1 ms -> a step      1 s, 1 min, 1 h, 1 d -> wider steps

export interface Moment {
  atMs: number;
  x: number;
}

export interface Scale {
  moments: readonly Moment[];
  width: number;
  xOf(atMs: number): number;
}

const stepMin = 18;
const stepMax = 110;
/** A line of two moments is not made a page wide. */
const stretchMax = 3;

export function scaleOf(
  times: readonly number[],
  { margin, widthMin }: { margin: number; widthMin: number },
): Scale {
  const sorted = [...new Set(times)].toSorted((a, b) => a - b);
  const moments: Moment[] = [];
  for (const atMs of sorted) {
    const last = moments.at(-1);
    const x = last === undefined ? margin : last.x + stepOf(atMs - last.atMs);
    moments.push({ atMs, x });
  }
  const end = moments.at(-1)?.x ?? margin;
  const stretch =
    end > margin ? Math.max(1, Math.min(stretchMax, (widthMin - 2 * margin) / (end - margin))) : 1;
  const stretched = moments.map(({ atMs, x }) => ({ atMs, x: margin + (x - margin) * stretch }));
  return {
    moments: stretched,
    width: margin + (end - margin) * stretch + margin,
    xOf: (atMs) => stretched.find((moment) => moment.atMs === atMs)?.x ?? margin,
  };
}

/** From a millisecond to a day and beyond, in even steps of its logarithm. */
function stepOf(gapMs: number): number {
  const share = Math.log10(Math.max(1, gapMs)) / Math.log10(24 * 3_600_000);
  return Math.round(stepMin + (stepMax - stepMin) * Math.min(1, share));
}
