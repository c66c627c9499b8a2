// What is said aloud: changes that a person who does not see the screen must hear of, politely.
import { signal } from "@preact/signals";

const said = signal("");

export function say(words: string): void {
  // The same words twice are two events: a changed text is what a screen reader reads out.
  said.value = said.value === words ? `${words}\u00a0` : words;
}

export function Said() {
  return (
    <div class="unseen" role="status" aria-live="polite">
      {said}
    </div>
  );
}
