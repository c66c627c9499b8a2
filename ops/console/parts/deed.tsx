// A form that does something: asked once under one id, told what came of it, and never sent twice by an impatient hand.
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { ask, newId } from "../api/ask.ts";
import { lookAgain } from "../api/live.ts";
import type { Problem } from "../api/shapes.ts";
import { place } from "../place.ts";
import { ProblemNote } from "./problem-note.tsx";
import { outlive, type Refused } from "./refusal.tsx";
import { say } from "./say.tsx";

type State =
  | { kind: "ready" }
  | { kind: "asking" }
  | { kind: "done"; says: string }
  | { kind: "refused"; problem: Problem };

export interface Deed {
  path: string;
  /** `id`: the same for every try of this form, until it is answered for good. */
  body(id: string, fields: FormData): object;
  does: string;
  says(answer: unknown): string;
  isGrave?: boolean;
  /** Where nothing is filled in. */
  label?: string;
  onDone?(): void;
  children?: ComponentChildren;
}

export function DeedForm(deed: Deed) {
  const { children, does, isGrave = false, label = does } = deed;
  const [state, setState] = useState<State>({ kind: "ready" });
  const id = useRef(newId());
  const isThere = useRef(true);
  const refused = useRef<Refused>(undefined);
  const form = useRef<HTMLFormElement>(null);
  const told = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (state.kind === "done" || state.kind === "refused") told.current?.focus();
  }, [state]);
  // A form that goes away when its work is done hands the focus on; else the keyboard would begin at the top of the page.
  useEffect(
    () => () => {
      isThere.current = false;
      outlive(refused.current);
      if (form.current?.contains(document.activeElement)) document.querySelector("h1")?.focus();
    },
    [],
  );
  const onSubmit = async (event: SubmitEvent) => {
    event.preventDefault();
    const filled = form.current;
    if (filled === null || state.kind === "asking") return;
    setState({ kind: "asking" });
    refused.current = undefined;
    const at = place.peek();
    const answer = await ask<unknown>(deed.path, {
      body: deed.body(id.current, new FormData(filled)),
    });
    // Without an answer it may have been done: the next try is the same decision.
    const isOpen = answer.kind === "problem" && [0, 503].includes(answer.problem.status);
    if (!isOpen) id.current = newId();
    if (answer.kind === "problem") {
      setState({ kind: "refused", problem: answer.problem });
      refused.current = { problem: answer.problem, at };
      if (!isThere.current) outlive(refused.current);
    } else {
      const says = deed.says(answer.kind === "body" ? answer.body : undefined);
      say(says);
      filled.reset();
      setState({ kind: "done", says });
      deed.onDone?.();
    }
    lookAgain();
  };
  return (
    <form ref={form} class="deed" aria-label={label} onSubmit={(event) => void onSubmit(event)}>
      {children}
      <button class={isGrave ? "grave" : "main"} disabled={state.kind === "asking"}>
        {state.kind === "asking" ? "Asking …" : does}
      </button>
      <div ref={told} tabIndex={-1} class="told">
        {state.kind === "done" && <p class="note good">{state.says}</p>}
        {state.kind === "refused" && <ProblemNote problem={state.problem} />}
      </div>
    </form>
  );
}

export function textOf(fields: FormData, name: string): string {
  const value = fields.get(name);
  return typeof value === "string" ? value.trim() : "";
}

export function ReasonField({ hint = "For whoever reads it next." }: { hint?: string }) {
  return (
    <label>
      Reason <span class="faint">{hint}</span>
      <textarea name="reason" rows={2} minLength={3} maxLength={2000} required />
    </label>
  );
}
