// One choice as a form: the provider's id where it happened, a reason always, and the word of a second person where it is forced.
import { useState } from "preact/hooks";
import type { Choice } from "../../api/shapes.ts";
import { DeedForm, ReasonField, textOf } from "../../parts/deed.tsx";
import { may } from "../../session.ts";
import { choiceName } from "../../words.ts";

interface Form {
  path: string;
  choice: Choice;
  version: string;
}

export function ChoiceForm({ choice, path, version }: Form) {
  // The version that was on the screen when the form was opened: a change in between is refused and told.
  const [seen, setSeen] = useState<string>();
  const mustForce = !choice.isPermitted;
  if (mustForce && !(choice.mayBeForced && may("overrider"))) {
    return choice.mayBeForced ? <p class="faint">Two overriders may force it.</p> : null;
  }
  if (seen === undefined) {
    return (
      <button type="button" class={mustForce ? "grave" : ""} onClick={() => setSeen(version)}>
        {nameOf(choice)} …
      </button>
    );
  }
  return (
    <>
      {seen !== version && (
        <div class="note doubt" role="alert">
          <p>This review has changed while the form was open. Read what is known above again.</p>
          <button type="button" onClick={() => setSeen(version)}>
            I have looked again
          </button>
        </div>
      )}
      <Filled choice={choice} path={path} version={seen} onClose={() => setSeen(undefined)} />
    </>
  );
}

function nameOf({ how, isPermitted }: Choice): string {
  return isPermitted ? choiceName(how) : `Force: ${choiceName(how)}`;
}

function Filled({ choice, onClose, path, version }: Form & { onClose(): void }) {
  const mustForce = !choice.isPermitted;
  return (
    <DeedForm
      path={`${path}/resolve`}
      label={nameOf(choice)}
      does={mustForce ? "Ask for a second person" : `Record: ${choiceName(choice.how)}`}
      isGrave={mustForce}
      body={(decisionId, fields) => ({
        decisionId,
        expectedVersion: version,
        how: choice.how,
        reason: textOf(fields, "reason"),
        ...(mustForce ? { forced: true } : {}),
        ...(choice.how === "happened" ? { providerId: textOf(fields, "providerId") } : {}),
      })}
      says={() =>
        mustForce
          ? "Asked. Nothing is done until a second overrider confirms it."
          : "Recorded. The next turn of the case settles it."
      }
    >
      {choice.how === "happened" && (
        <label>
          The provider's own id{" "}
          <span class="faint">As their system shows it: it is kept as the proof.</span>
          <input name="providerId" required maxLength={500} autocomplete="off" />
        </label>
      )}
      {mustForce && (
        <p class="note bad">
          This goes against the provider's contract or its horizon: {choice.why}. A second person
          with the role overrider must confirm it, and both names stay with it.
        </p>
      )}
      <ReasonField />
      <button type="button" onClick={onClose}>
        Close this form
      </button>
    </DeedForm>
  );
}
