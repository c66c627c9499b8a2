// The frame of one view: its heading takes the focus when the reader has gone somewhere, so that the keyboard and a screen
// reader begin where the eye does.
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { Live } from "../api/live.ts";
import { timeText } from "../words.ts";
import { ProblemNote } from "./problem-note.tsx";
import { Refusal } from "./refusal.tsx";

export function Page(view: {
  title: string;
  /** Another one of these is another page. */
  of: string;
  back?: { link: string; text: string };
  live?: Live<unknown>;
  children: ComponentChildren;
}) {
  const { back, children, live, of, title } = view;
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    heading.current?.focus({ preventScroll: true });
    scrollTo(0, 0);
  }, [of]);
  useEffect(() => {
    document.title = `${title} · Countersign`;
  }, [title]);
  return (
    <div class="page">
      {back && (
        <a class="back" href={back.link} data-key="u">
          ← {back.text}
        </a>
      )}
      <h1 tabIndex={-1} ref={heading}>
        {title}
      </h1>
      <Refusal />
      {live !== undefined && <State live={live} />}
      {children}
    </div>
  );
}

function State({ live: { body, problem, readAtMs } }: { live: Live<unknown> }) {
  if (problem !== undefined) {
    return (
      <ProblemNote
        problem={problem}
        more={
          body === undefined || readAtMs === undefined
            ? undefined
            : `What you see was read at ${timeText(readAtMs)}.`
        }
      />
    );
  }
  if (body === undefined) return <p class="faint">Reading …</p>;
  return null;
}
