// The letters of one cause, each with the ledger's word on what a resubmit would do now; one whose body is wrong can be replaced.
import { useState } from "preact/hooks";
import { useLive } from "../../api/live.ts";
import type { Letter, Letters } from "../../api/dead-letter-shapes.ts";
import { DeedForm, ReasonField, textOf } from "../../parts/deed.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { More } from "../../parts/rows.tsx";
import { Tag } from "../../parts/tag.tsx";
import { Ago } from "../../parts/time.tsx";
import { linkIn } from "../../place.ts";
import { plural, type Tone } from "../../words.ts";

const everyMs = 15_000;
const tones: Readonly<Record<string, Tone>> = {
  nothingToRepeat: "good",
  wouldGoOn: "good",
  wouldDecide: "doubt",
  wouldSend: "doubt",
};

export function LetterList(list: { path: string; cause: string; mayMove: boolean }) {
  const { cause, mayMove, path } = list;
  const [cursor, setCursor] = useState<string>();
  const from = cursor === undefined ? "" : `&cursor=${encodeURIComponent(cursor)}`;
  const { body, problem } = useLive<Letters>(
    `${path}/preview?cause=${encodeURIComponent(cause)}&max=10${from}`,
    everyMs,
  );
  return (
    <>
      {problem !== undefined && <ProblemNote problem={problem} />}
      <ul class="plain letters">
        {body?.deadLetters.map((letter) => (
          <li key={letter.sequenceNumber}>
            <LetterPart letter={letter} />
            {mayMove && isWrong(letter) && <EditPart path={path} letter={letter} />}
          </li>
        ))}
      </ul>
      <More cursor={cursor} next={body?.next} onGo={setCursor} />
    </>
  );
}

/** Another look at the same would fail the same way. */
function isWrong({ preview: { verdict } }: Letter): boolean {
  return verdict === "noCase" || verdict === "caseNotFound";
}

function LetterPart({ letter }: { letter: Letter }) {
  const { body, caseId, deliveryCount, lastSeenMs, preview, resubmitCount, tenantId } = letter;
  return (
    <>
      <p>
        <Tag tone={tones[preview.verdict] ?? "bad"}>{preview.verdict}</Tag> {preview.says}
      </p>
      <p class="faint">
        No. {letter.sequenceNumber} ·{" "}
        {caseId === undefined || tenantId === undefined ? (
          "names no case"
        ) : (
          <a href={linkIn(tenantId, "cases", caseId)}>case {caseId.slice(0, 8)}</a>
        )}{" "}
        · delivered {plural(deliveryCount, "time")}, resubmitted {plural(resubmitCount, "time")}
        {lastSeenMs !== undefined && (
          <>
            {" "}
            · came in <Ago atMs={lastSeenMs} />
          </>
        )}
      </p>
      {body !== undefined && <pre class="body">{body}</pre>}
    </>
  );
}

function EditPart({ letter, path }: { path: string; letter: Letter }) {
  const [isOpen, setOpen] = useState(false);
  const { caseId, sequenceNumber, tenantId } = letter;
  if (!isOpen) {
    return (
      <button type="button" onClick={() => setOpen(true)}>
        Send another one instead …
      </button>
    );
  }
  return (
    <DeedForm
      path={`${path}/letters/${sequenceNumber}/edit`}
      label={`Send another one instead of ${sequenceNumber}`}
      does="Archive this one, and send the other"
      isGrave
      body={(decisionId, fields) => ({
        decisionId,
        caseKey: textOf(fields, "caseKey"),
        reason: textOf(fields, "reason"),
        dryRun: false,
      })}
      says={() => "The original is archived, and the other one sent."}
    >
      <label>
        The case to look at <span class="faint">Tenant, colon, case id</span>
        <input
          name="caseKey"
          required
          pattern="[a-z0-9\-]{1,64}:[a-z2-7]{26}"
          defaultValue={caseId === undefined ? "" : `${tenantId}:${caseId}`}
          autocomplete="off"
        />
      </label>
      <ReasonField />
      <button type="button" onClick={() => setOpen(false)}>
        Close this form
      </button>
    </DeedForm>
  );
}
