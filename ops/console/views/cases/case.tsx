// One case in time: the picture with its lanes, the same as a table, and each effect as it was frozen.
import { useLive } from "../../api/live.ts";
import type { TimeLine } from "../../api/shapes.ts";
import { Content } from "../../parts/content.tsx";
import { DeedForm } from "../../parts/deed.tsx";
import { EffectPart } from "../../parts/effect.tsx";
import { Page } from "../../parts/page.tsx";
import { Tag } from "../../parts/tag.tsx";
import { Until } from "../../parts/time.tsx";
import { EntriesTable } from "../../picture/entries-table.tsx";
import { Picture } from "../../picture/picture.tsx";
import { Legend } from "../../picture/signs.tsx";
import { linkTo, place } from "../../place.ts";
import { may } from "../../session.ts";

export function CaseView({ caseId }: { caseId: string }) {
  const { tenantId } = place.value;
  const live = useLive<TimeLine>(`cases/${tenantId}/${caseId}/timeline`);
  const shown = live.body;
  const title = shown === undefined ? "Case" : `Case ${shown.case.externalRef}`;
  return (
    <Page title={title} of={caseId} live={live} back={{ link: linkTo("cases"), text: "all cases" }}>
      {shown !== undefined && (
        <>
          <p class="lead">
            {shown.case.workflow} · {shown.case.status}, version {shown.case.version}{" "}
            {shown.case.held !== undefined && <Tag tone="bad">{`held: ${shown.case.held}`}</Tag>}
            {shown.case.dueAtMs !== undefined && (
              <>
                {" "}
                · looked at again <Until atMs={shown.case.dueAtMs} />
              </>
            )}
          </p>
          <OpenReviews caseId={caseId} shown={shown} />
          <section aria-labelledby="picture">
            <h2 id="picture">In time</h2>
            <Picture entries={shown.entries} name={title} />
            <Legend />
            <details open>
              <summary>As a table</summary>
              <EntriesTable entries={shown.entries} name={title} />
            </details>
          </section>
          <Effects shown={shown} />
          {shown.case.facts !== undefined && (
            <section aria-labelledby="facts">
              <h2 id="facts">Facts</h2>
              <Content content={shown.case.facts} name="Facts" />
            </section>
          )}
          {may("operator") && (
            <DeedForm
              path={`cases/${tenantId}/${caseId}/investigate`}
              does="Have it decided anew"
              body={(requestId) => ({ requestId })}
              says={() => "Asked. A turn looks at it next, where nothing is under way."}
            />
          )}
        </>
      )}
    </Page>
  );
}

function OpenReviews({ caseId, shown }: { caseId: string; shown: TimeLine }) {
  const open = shown.entries.filter(({ lane, outcome }) => lane === "review" && outcome === "open");
  if (open.length === 0) return null;
  return (
    <ul class="plain note doubt">
      {open.map((entry) => (
        <li key={entry.id}>
          Waits for a person: <a href={linkTo("reviews", caseId, entry.id)}>{entry.what}</a>
        </li>
      ))}
    </ul>
  );
}

function Effects({ shown }: { shown: TimeLine }) {
  return (
    <section aria-labelledby="effects">
      <h2 id="effects">Effects</h2>
      {shown.effects.length === 0 && <p class="faint">Nothing has been intended yet.</p>}
      {shown.effects.map((effect) => (
        <article key={effect.operationId} class="choice">
          <EffectPart effect={effect} />
        </article>
      ))}
    </section>
  );
}
