// The signs of the picture: a shape of its own for each tone, since colour is never all there is; and what each means.
import type { Tone } from "../words.ts";

const meanings: readonly [Tone, string][] = [
  ["good", "proven"],
  ["doubt", "in doubt, or waiting"],
  ["bad", "refused, or spoken against"],
  ["plain", "neither"],
];

export function Sign({ tone, x, y }: { tone: Tone; x: number; y: number }) {
  switch (tone) {
    case "good":
      return <circle cx={x} cy={y} r={6} />;
    case "doubt":
      return <path d={`M${x} ${y - 7}L${x + 7} ${y}L${x} ${y + 7}L${x - 7} ${y}Z`} />;
    case "bad":
      return <rect x={x - 6} y={y - 6} width={12} height={12} />;
    case "plain":
      return <circle class="hollow" cx={x} cy={y} r={4.5} />;
  }
}

export function Legend() {
  return (
    <ul class="legend" aria-label="Signs of the picture">
      {meanings.map(([tone, meaning]) => (
        <li key={tone}>
          <svg width="16" height="16" aria-hidden="true">
            <g class={`mark ${tone}`}>
              <Sign tone={tone} x={8} y={8} />
            </g>
          </svg>
          {meaning}
        </li>
      ))}
    </ul>
  );
}
