// A case as a picture: a lane for each kind of thing, time from left to right. The table below it says the same in words, and is
// what a screen reader reads; the picture is one image to it.
import type { Entry } from "../api/shapes.ts";
import { plural, spanText, timeText } from "../words.ts";
import { laneNames, lanesOf, toneOfEntry } from "./lanes.ts";
import { scaleOf, type Scale } from "./scale.ts";
import { Sign } from "./signs.tsx";

const laneHeight = 40;
const left = 92;
const top = 26;
const margin = 16;
/** The widest that a page gets, and what stands left and right of a picture. */
const pageWidth = 1216;
const around = 28;

export function Picture({ entries, name }: { entries: readonly Entry[]; name: string }) {
  if (entries.length === 0) return null;
  const lanes = lanesOf(entries);
  const scale = scaleOf(
    entries.flatMap(({ atMs, untilMs }) =>
      untilMs !== undefined && untilMs > atMs ? [atMs, untilMs] : [atMs],
    ),
    { margin, widthMin: Math.min(innerWidth, pageWidth) - left - 2 * around },
  );
  const width = left + scale.width;
  const height = top + lanes.length * laneHeight + 6;
  const label = `${name}: ${plural(entries.length, "entry", "entries")} in ${plural(lanes.length, "lane")}; the table below tells each.`;
  return (
    // Wider than the screen it scrolls by itself, by keyboard, too.
    <div class="picture" tabIndex={0} role="region" aria-label={`${name}, picture`}>
      <svg
        width={width}
        height={height}
        viewBox={`0 0 ${width} ${height}`}
        role="img"
        aria-label={label}
      >
        <Gaps scale={scale} height={height} />
        {lanes.map((lane, index) => (
          <Lane
            key={lane}
            name={laneNames[lane] ?? lane}
            y={top + index * laneHeight + laneHeight / 2}
            width={width}
            scale={scale}
            entries={entries.filter((entry) => entry.lane === lane)}
          />
        ))}
      </svg>
    </div>
  );
}

/** Where a second or more lies between two moments, the gap says how long it is. */
function Gaps({ height, scale: { moments } }: { scale: Scale; height: number }) {
  return (
    <g class="gaps">
      {moments.map((moment, index) => {
        const before = moments[index - 1];
        const gapMs = before === undefined ? 0 : moment.atMs - before.atMs;
        const x = left + moment.x;
        return (
          <g key={moment.atMs}>
            <line x1={x} x2={x} y1={top - 6} y2={height} />
            {gapMs >= 1000 && before !== undefined && (
              <text x={left + (before.x + moment.x) / 2} y={14} text-anchor="middle">
                +{spanText(gapMs)}
              </text>
            )}
          </g>
        );
      })}
    </g>
  );
}

function Lane(lane: {
  name: string;
  y: number;
  width: number;
  scale: Scale;
  entries: readonly Entry[];
}) {
  const { entries, name, scale, width, y } = lane;
  const atSame = new Map<number, number>();
  return (
    <g>
      <line class="lane" x1={left} x2={width} y1={y} y2={y} />
      <text class="lane-name" x={0} y={y + 4}>
        {name}
      </text>
      {entries.map((entry, index) => {
        const nth = atSame.get(entry.atMs) ?? 0;
        atSame.set(entry.atMs, nth + 1);
        // Of one moment, one below the other: up to three are told apart.
        const own = y + Math.min(nth, 2) * 7 - (nth > 0 ? 4 : 0);
        return <Mark key={`${entry.id} ${index}`} entry={entry} y={own} scale={scale} />;
      })}
    </g>
  );
}

function Mark({ entry, scale, y }: { entry: Entry; scale: Scale; y: number }) {
  const { atMs, outcome, untilMs, what } = entry;
  const tone = toneOfEntry(entry);
  const x = left + scale.xOf(atMs);
  const end = untilMs !== undefined && untilMs > atMs ? left + scale.xOf(untilMs) : x;
  return (
    <g class={`mark ${tone}`}>
      <title>{[timeText(atMs), what, outcome].filter(Boolean).join(" · ")}</title>
      {end > x && <line class="span" x1={x} x2={end} y1={y} y2={y} />}
      <Sign tone={tone} x={x} y={y} />
    </g>
  );
}
