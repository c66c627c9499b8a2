// The list of keys, in a dialog that the browser itself keeps the focus in.
import { useEffect, useRef } from "preact/hooks";
import { sectionNames } from "../section-names.ts";
import { sections } from "../place.ts";
import { helpIsOpen, keysAreOn, switchKeys } from "./keys.ts";

const keys: [string, string][] = [
  ["j, k", "next and previous row of a list"],
  ["Enter", "opens the row"],
  ["u", "back to the list"],
  ["/", "to the search field"],
  ["?", "this list"],
  ["Esc", "closes it"],
];

export function Help() {
  const dialog = useRef<HTMLDialogElement>(null);
  const isOpen = helpIsOpen.value;
  useEffect(() => {
    if (isOpen) dialog.current?.showModal();
    else dialog.current?.close();
  }, [isOpen]);
  const close = () => {
    helpIsOpen.value = false;
  };
  return (
    <dialog ref={dialog} aria-labelledby="help-title" onClose={close}>
      <h2 id="help-title">Keys</h2>
      <dl class="keys">
        {keys.map(([key, does]) => (
          <Key key={key} name={key} does={does} />
        ))}
        {sections.map((section, index) => (
          <Key key={section} name={String(index + 1)} does={sectionNames[section]} />
        ))}
      </dl>
      <label class="check">
        <input
          type="checkbox"
          checked={keysAreOn.value}
          onChange={(event) => switchKeys(event.currentTarget.checked)}
        />
        Single keys are on
      </label>
      <button type="button" onClick={close}>
        Close
      </button>
    </dialog>
  );
}

function Key({ does, name }: { name: string; does: string }) {
  return (
    <div>
      <dt>
        <kbd>{name}</kbd>
      </dt>
      <dd>{does}</dd>
    </div>
  );
}
