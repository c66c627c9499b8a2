// The search for cases: by reference, status, workflow and age, the newest first.
import { useState } from "preact/hooks";
import { useLive } from "../../api/live.ts";
import type { Cases } from "../../api/shapes.ts";
import { textOf } from "../../parts/deed.tsx";
import { Page } from "../../parts/page.tsx";
import { More, Row, Rows } from "../../parts/rows.tsx";
import { Tag } from "../../parts/tag.tsx";
import { Ago } from "../../parts/time.tsx";
import { linkTo, place } from "../../place.ts";

export function CasesView() {
  const { tenantId } = place.value;
  const [search, setSearch] = useState<Record<string, string>>({});
  const [cursor, setCursor] = useState<string>();
  const page = cursor === undefined ? {} : { cursor };
  const query = new URLSearchParams({ max: "50", ...search, ...page });
  const live = useLive<Cases>(`search/${tenantId}/cases?${query}`);
  const cases = live.body?.cases;
  return (
    <Page title="Cases" of={`cases ${tenantId}`} live={live}>
      <SearchForm
        onSearch={(wanted) => {
          setSearch(wanted);
          setCursor(undefined);
        }}
      />
      {cases?.length === 0 && <p class="note">No case fits this search.</p>}
      {cases !== undefined && cases.length > 0 && (
        <Rows label="Cases found">
          {cases.map((found) => (
            <Row key={found.caseId} link={linkTo("cases", found.caseId)} title={found.externalRef}>
              <span>
                {found.workflow.type} · {found.status}, version {found.version} · opened{" "}
                <Ago atMs={found.openedAtMs} />{" "}
                {found.held !== undefined && <Tag tone="bad">{`held: ${found.held.reason}`}</Tag>}
              </span>
            </Row>
          ))}
        </Rows>
      )}
      <More cursor={cursor} next={live.body?.next} onGo={setCursor} />
    </Page>
  );
}

const hourMs = 3_600_000;

function SearchForm({ onSearch }: { onSearch(search: Record<string, string>): void }) {
  const onSubmit = (event: SubmitEvent) => {
    event.preventDefault();
    if (!(event.currentTarget instanceof HTMLFormElement)) return;
    const fields = new FormData(event.currentTarget);
    const olderThanMs = Number(textOf(fields, "olderThanHours")) * hourMs;
    const search = {
      externalRef: textOf(fields, "externalRef"),
      status: textOf(fields, "status"),
      workflow: textOf(fields, "workflow"),
      held: textOf(fields, "held"),
      openedBefore: olderThanMs > 0 ? new Date(Date.now() - olderThanMs).toISOString() : "",
    };
    onSearch(Object.fromEntries(Object.entries(search).filter(([, value]) => value !== "")));
  };
  return (
    <form class="search" role="search" aria-label="Search for cases" onSubmit={onSubmit}>
      <label>
        Reference, or how it begins
        <input name="externalRef" maxLength={500} data-search autocomplete="off" />
      </label>
      <label>
        Status
        <input name="status" maxLength={100} autocomplete="off" />
      </label>
      <label>
        Workflow
        <input name="workflow" maxLength={100} autocomplete="off" />
      </label>
      <label>
        Held
        <select name="held">
          <option value="">either</option>
          <option value="true">yes</option>
          <option value="false">no</option>
        </select>
      </label>
      <label>
        Older than, in hours
        <input name="olderThanHours" type="number" min="0" step="1" />
      </label>
      <button class="main">Search</button>
    </form>
  );
}
