// A list that is walked with j and k: each row is a link, and the way on from it.
import type { ComponentChildren } from "preact";

export function Rows({ children, label }: { label: string; children: ComponentChildren }) {
  return (
    <ul class="rows" aria-label={label}>
      {children}
    </ul>
  );
}

export function Row(row: { link: string; title: string; children: ComponentChildren }) {
  return (
    <li>
      <a class="row" href={row.link} data-row>
        <span class="row-title">{row.title}</span>
        <span class="row-rest">{row.children}</span>
      </a>
    </li>
  );
}

/** The next page of a list is asked for by hand: a list that grows by itself is lost under the finger. */
export function More(pages: {
  /** Of the page that is shown; undefined: the first. */
  cursor: string | undefined;
  next: string | undefined;
  onGo(cursor: string | undefined): void;
}) {
  const { cursor, next, onGo } = pages;
  return (
    <p>
      {cursor !== undefined && (
        <button type="button" onClick={() => onGo(undefined)}>
          Back to the first page
        </button>
      )}{" "}
      {next !== undefined && (
        <button type="button" onClick={() => onGo(next)}>
          Show the next page
        </button>
      )}
    </p>
  );
}
