// What people did in this tenant, and what came of it, newest first.
import { useState } from "preact/hooks";
import { useLive } from "../api/live.ts";
import type { Records } from "../api/shapes.ts";
import { Page } from "../parts/page.tsx";
import { More } from "../parts/rows.tsx";
import { Tag } from "../parts/tag.tsx";
import { linkTo, place } from "../place.ts";
import { timeText } from "../words.ts";

const caseId = /^[a-z2-7]{26}$/;

export function RecordsView() {
  const { tenantId } = place.value;
  const [cursor, setCursor] = useState<string>();
  const from = cursor === undefined ? "" : `&cursor=${encodeURIComponent(cursor)}`;
  const live = useLive<Records>(`operator-records/${tenantId}?max=50${from}`);
  const records = live.body?.records;
  return (
    <Page title="What people did" of={`records ${tenantId}`} live={live}>
      {records?.length === 0 && <p class="note">Nobody has done anything here yet.</p>}
      {records !== undefined && records.length > 0 && (
        <div class="table" tabIndex={0} role="region" aria-label="Records, table">
          <table>
            <caption class="unseen">Records, newest first</caption>
            <thead>
              <tr>
                <th scope="col">When</th>
                <th scope="col">Who</th>
                <th scope="col">What</th>
                <th scope="col">Why</th>
                <th scope="col">Outcome</th>
              </tr>
            </thead>
            <tbody>
              {records.map((record) => (
                <tr key={`${record.caseId} ${record.id}`}>
                  <td class="when">{timeText(record.atMs)}</td>
                  <td>{record.byName ?? record.by}</td>
                  <td>
                    {record.action} {record.subject}{" "}
                    {caseId.test(record.caseId) && (
                      <a href={linkTo("cases", record.caseId)}>case {record.caseId.slice(0, 8)}</a>
                    )}
                  </td>
                  <td>{record.reason}</td>
                  <td>
                    <Tag>{record.outcome.kind}</Tag> {record.outcome.detail}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      <More cursor={cursor} next={live.body?.next} onGo={setCursor} />
    </Page>
  );
}
