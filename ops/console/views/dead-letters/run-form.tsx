// Moves dead letters: first dry, so that everybody knows what it would do; then in earnest, with its progress.
import { useRef, useState } from "preact/hooks";
import { newId } from "../../api/ask.ts";
import { lookAgain } from "../../api/live.ts";
import { ReasonField, textOf } from "../../parts/deed.tsx";
import { say } from "../../parts/say.tsx";
import { plural } from "../../words.ts";
import { movedOf, runLetters, type Progress, type RunRequest } from "./run.ts";
import { RunResult } from "./run-result.tsx";

type Request = Omit<RunRequest, "dryRun" | "decisionId">;
type State =
  | { kind: "ready" }
  | { kind: "running"; request: Request; dryRun: boolean; progress?: Progress }
  | { kind: "over"; request: Request; dryRun: boolean; progress: Progress };

const names = { resubmit: "Resubmit", archive: "Archive" } as const;

export function RunForm(form: { path: string; cause: string | undefined; name: string }) {
  const { cause, name, path } = form;
  const [state, setState] = useState<State>({ kind: "ready" });
  const isStopped = useRef(false);
  const run = async (request: Request, dryRun: boolean) => {
    isStopped.current = false;
    setState({ kind: "running", request, dryRun });
    const progress = await runLetters(
      { ...request, dryRun, decisionId: newId() },
      (heard) => setState({ kind: "running", request, dryRun, progress: heard }),
      () => isStopped.current,
    );
    setState({ kind: "over", request, dryRun, progress });
    const looked = dryRun ? "Dry run" : names[request.how];
    say(`${looked} is over: ${plural(movedOf(progress), "letter")}.`);
    lookAgain();
  };
  const onSubmit = (event: SubmitEvent) => {
    event.preventDefault();
    if (!(event.currentTarget instanceof HTMLFormElement) || state.kind === "running") return;
    const fields = new FormData(event.currentTarget);
    const how = textOf(fields, "how") === "archive" ? "archive" : "resubmit";
    const filter = cause === undefined ? {} : { cause };
    void run({ path, how, filter, reason: textOf(fields, "reason") }, true);
  };
  return (
    <form class="deed" aria-label={name} onSubmit={onSubmit}>
      <fieldset>
        <legend class="unseen">What to do</legend>
        <How value="resubmit" text="Resubmit: another look at each case" />
        <How value="archive" text="Archive: keep them as records, and look no more" />
      </fieldset>
      <ReasonField />
      <button class="main" disabled={state.kind === "running"}>
        Try it dry first
      </button>
      {state.kind === "running" && (
        <Running state={state} onStop={() => (isStopped.current = true)} />
      )}
      {state.kind === "over" && (
        <>
          <RunResult progress={state.progress} dryRun={state.dryRun} />
          {state.dryRun && movedOf(state.progress) > 0 && (
            <button type="button" class="grave" onClick={() => void run(state.request, false)}>
              {names[state.request.how]} {plural(movedOf(state.progress), "letter")} now
            </button>
          )}
        </>
      )}
    </form>
  );
}

function How({ text, value }: { value: "resubmit" | "archive"; text: string }) {
  return (
    <label class="check">
      <input type="radio" name="how" value={value} defaultChecked={value === "resubmit"} />
      {text}
    </label>
  );
}

function Running({ onStop, state }: { state: State & { kind: "running" }; onStop(): void }) {
  const { dryRun, progress } = state;
  const moved = progress === undefined ? 0 : movedOf(progress);
  const what = dryRun ? "looked at" : "moved";
  return (
    <div class="note">
      <label>
        {progress === undefined ? "Counting …" : `${moved} of ${progress.total} ${what}`}
        <progress {...(progress === undefined ? {} : { max: progress.total, value: moved })} />
      </label>
      <button type="button" onClick={onStop}>
        Stop after this part
      </button>
    </div>
  );
}
