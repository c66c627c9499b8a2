// Dead letters that were taken out of their queues, kept as records: by whom, how and why.
import { useState } from "preact/hooks";
import type { Archived } from "../../api/dead-letter-shapes.ts";
import { useLive } from "../../api/live.ts";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { More } from "../../parts/rows.tsx";
import { linkIn } from "../../place.ts";
import { timeText } from "../../words.ts";

const everyMs = 15_000;

export function ArchivedPart({ tenant }: { tenant: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Archived ones, and those that were parked or replaced</summary>
      {isOpen && <ArchivedTable tenant={tenant} />}
    </details>
  );
}

function ArchivedTable({ tenant }: { tenant: string }) {
  const [cursor, setCursor] = useState<string>();
  const from = cursor === undefined ? "" : `&cursor=${encodeURIComponent(cursor)}`;
  const path = `archived-dead-letters/${tenant}?max=25${from}`;
  const { body, problem } = useLive<Archived>(path, everyMs);
  if (problem !== undefined) return <ProblemNote problem={problem} />;
  if (body === undefined) return <p class="faint">Reading …</p>;
  if (body.archived.length === 0) return <p class="note">There are none.</p>;
  return (
    <>
      <div class="table" tabIndex={0} role="region" aria-label="Archived dead letters, table">
        <table>
          <caption class="unseen">Archived dead letters, newest first</caption>
          <thead>
            <tr>
              <th scope="col">When</th>
              <th scope="col">Who</th>
              <th scope="col">How and why</th>
              <th scope="col">Of</th>
              <th scope="col">What it said</th>
            </tr>
          </thead>
          <tbody>
            {body.archived.map((letter) => (
              <ArchivedRow key={letter.id} letter={letter} />
            ))}
          </tbody>
        </table>
      </div>
      <More cursor={cursor} next={body.next} onGo={setCursor} />
    </>
  );
}

function ArchivedRow({ letter }: { letter: Archived["archived"][number] }) {
  const { atMs, by, caseId, content, how, queue, sequenceNumber, tenantId, why } = letter;
  const isOfCase = /^[a-z2-7]{26}$/.test(caseId);
  return (
    <tr>
      <td class="when">{timeText(atMs)}</td>
      <td>{by}</td>
      <td>
        {how}: {why}
      </td>
      <td>
        {queue} {sequenceNumber}{" "}
        {isOfCase && <a href={linkIn(tenantId, "cases", caseId)}>case {caseId.slice(0, 8)}</a>}
      </td>
      <td>{content?.body?.text ?? <span class="faint">hidden from your role</span>}</td>
    </tr>
  );
}
