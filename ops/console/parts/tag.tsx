// A status in a word, with a sign of its own, so that colour is never all there is.
import { toneOf, type Tone } from "../words.ts";

const signs: Record<Tone, string> = { good: "✓", doubt: "?", bad: "!", plain: "·" };

export function Tag({ children, tone = toneOf(children) }: { children: string; tone?: Tone }) {
  return (
    <span class={`tag ${tone}`}>
      <span aria-hidden="true">{signs[tone]}</span> {children}
    </span>
  );
}
