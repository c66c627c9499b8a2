// Messages that were given up, grouped by what they died of. Each is only a hint, "look at this case", so what a resubmit would do
// is read from the ledger of its case.
import { useState } from "preact/hooks";
import { useLive } from "../../api/live.ts";
import type { Causes } from "../../api/dead-letter-shapes.ts";
import { Page } from "../../parts/page.tsx";
import { Ago } from "../../parts/time.tsx";
import { place } from "../../place.ts";
import { may, mayEverywhere } from "../../session.ts";
import { plural } from "../../words.ts";
import { ArchivedPart } from "./archived.tsx";
import { LetterList } from "./letter-list.tsx";
import { RunForm } from "./run-form.tsx";

const queues = ["cases", "reviews"] as const;
const everyMs = 10_000;
/** All tenants, and what belongs to none. */
const all = "_";

export function DeadLettersView() {
  const { tenantId } = place.value;
  const [isAll, setAll] = useState(false);
  const tenant = isAll ? all : tenantId;
  return (
    <Page title="Dead letters" of={`dead letters ${tenantId}`}>
      <p class="lead">
        Messages that were given up. Whatever is done with them, no effect is repeated: the ledger
        stands in between.
      </p>
      {mayEverywhere("reader") && (
        <label class="check">
          <input
            type="checkbox"
            checked={isAll}
            onChange={(event) => setAll(event.currentTarget.checked)}
          />
          Of all tenants, and those that name no case
        </label>
      )}
      {queues.map((queue) => (
        <QueuePart key={`${tenant} ${queue}`} tenant={tenant} queue={queue} />
      ))}
      <ArchivedPart key={tenant} tenant={tenant} />
    </Page>
  );
}

function QueuePart({ queue, tenant }: { tenant: string; queue: string }) {
  const path = `dead-letters/${tenant}/${queue}`;
  const { body, problem } = useLive<Causes>(`${path}/causes`, everyMs);
  const mayMove = tenant === all ? mayEverywhere("operator") : may("operator");
  return (
    <section aria-labelledby={`queue-${queue}`}>
      <h2 id={`queue-${queue}`}>Queue {queue}</h2>
      {problem !== undefined && <p class="note bad">{problem.detail}</p>}
      {body === undefined && problem === undefined && <p class="faint">Reading …</p>}
      {body !== undefined && (
        <p class={body.count === 0 ? "note good" : ""}>
          {body.count === 0 ? "Empty." : plural(body.count, "dead letter")}
          {body.next !== undefined && " and more than one look can count"}
        </p>
      )}
      {body?.causes.map((cause) => (
        <CausePart key={cause.cause} path={path} cause={cause} mayMove={mayMove} />
      ))}
      {/* It stays while the queue empties, so that its result does. */}
      {mayMove && body !== undefined && (
        <details>
          <summary>Drain the whole queue</summary>
          <RunForm path={path} cause={undefined} name={`Drain queue ${queue}`} />
        </details>
      )}
      {!mayMove && <p class="faint">Moving them needs the role operator.</p>}
    </section>
  );
}

function CausePart(part: { path: string; cause: Causes["causes"][number]; mayMove: boolean }) {
  const { mayMove, path } = part;
  const { cause, count, description, lastSeenMs, reason, resubmitCountMax } = part.cause;
  const [isOpen, setOpen] = useState(false);
  return (
    <article class="choice" aria-label={`Cause ${reason}`}>
      <h3>
        {count} × {reason}
      </h3>
      {description !== "" && <p>{description}</p>}
      <p class="faint">
        {lastSeenMs !== undefined && (
          <>
            The last one <Ago atMs={lastSeenMs} />.{" "}
          </>
        )}
        {resubmitCountMax > 0 && `Resubmitted up to ${plural(resubmitCountMax, "time")} before.`}
      </p>
      <button type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)} data-row>
        {isOpen ? "Close" : "Look at each, and at what a resubmit would do"}
      </button>
      {isOpen && (
        <>
          {mayMove && <RunForm path={path} cause={cause} name={`Move those of ${reason}`} />}
          <LetterList path={path} cause={cause} mayMove={mayMove} />
        </>
      )}
    </article>
  );
}
