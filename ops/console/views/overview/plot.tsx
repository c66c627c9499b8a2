// Some numbers over time. The canvas is for the eye; the latest numbers stand below it as text, each with its name.
import { useEffect, useRef } from "preact/hooks";
import type uPlot from "uplot";
import { theme } from "../../theme.ts";

export interface Series {
  name: string;
  values: readonly number[];
}

const height = 150;
/** A dash of its own for each: colour is never all there is. */
const dashes = [[], [8, 4], [2, 3], [10, 3, 2, 3]];
const colours = ["--accent", "--bad", "--doubt", "--faint"];

export function Plot(plot: { title: string; at: readonly number[]; series: readonly Series[] }) {
  const { at, series, title } = plot;
  const place = useRef<HTMLDivElement>(null);
  const drawn = useRef<uPlot>(undefined);
  const columns = [[...at], ...series.map(({ values }) => [...values])] as uPlot.AlignedData;
  const latest = useRef(columns);
  latest.current = columns;
  const names = series.map(({ name }) => name).join(" ");
  const { value: colouring } = theme;
  useEffect(() => {
    const { current } = place;
    if (current === null) return undefined;
    const fit = new ResizeObserver(([box]) => {
      const width = Math.floor(box?.contentRect.width ?? 0);
      if (width > 0) drawn.current?.setSize({ width, height });
    });
    let isOver = false;
    // Loaded when there is something to plot: most who come here at night never need it.
    const begin = async () => {
      const { default: Chart } = await import("uplot");
      if (isOver) return;
      drawn.current = draw(Chart, current, { series, data: latest.current });
      fit.observe(current);
    };
    void begin();
    return () => {
      isOver = true;
      fit.disconnect();
      drawn.current?.destroy();
      drawn.current = undefined;
    };
  }, [names, colouring]);
  useEffect(() => drawn.current?.setData(columns), [at.length]);
  return (
    <figure>
      <figcaption>{title}</figcaption>
      <div ref={place} class="plot" aria-hidden="true" />
      <ul class="latest">
        {series.map(({ name, values }, index) => (
          <li key={name}>
            <span class={`swatch s${index}`} aria-hidden="true" /> {name}: {values.at(-1) ?? 0}
          </li>
        ))}
      </ul>
    </figure>
  );
}

/** As everywhere in the console: UTC, to the second. */
function clockText(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(11, 19);
}

function draw(
  Chart: typeof uPlot,
  place: HTMLElement,
  { data, series }: { series: readonly Series[]; data: uPlot.AlignedData },
): uPlot {
  const style = getComputedStyle(place);
  const colour = (name: string) => style.getPropertyValue(name).trim();
  const axis = {
    stroke: colour("--faint"),
    grid: { stroke: colour("--line"), width: 1 },
    ticks: { stroke: colour("--line"), width: 1 },
    font: "12px system-ui, sans-serif",
  };
  return new Chart(
    {
      width: place.clientWidth,
      height,
      legend: { show: false },
      cursor: { show: false },
      scales: { y: { range: (_chart, _min, max) => [0, Math.max(4, Math.ceil(max * 1.2))] } },
      axes: [
        { ...axis, values: (_chart, ticks) => ticks.map(clockText) },
        { ...axis, size: 40 },
      ],
      series: [
        {},
        ...series.map(({ name }, index) => ({
          label: name,
          stroke: colour(colours[index] ?? "--text"),
          width: 2,
          dash: dashes[index] ?? [],
          points: { show: data[0].length < 2 },
        })),
      ],
    },
    data,
    place,
  );
}
