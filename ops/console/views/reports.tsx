// Providers' own webhooks that name no effect that is known here: those given up wait for a person.
import { useLive } from "../api/live.ts";
import type { Report, Reports } from "../api/report-shapes.ts";
import { Page } from "../parts/page.tsx";
import { Tag } from "../parts/tag.tsx";
import { Ago, Until } from "../parts/time.tsx";
import { linkTo, place } from "../place.ts";
import { plural } from "../words.ts";

export function ReportsView() {
  const { tenantId } = place.value;
  const live = useLive<Reports>(`reports/${tenantId}`);
  const reports = live.body?.reports;
  return (
    <Page title="Providers' reports" of={`reports ${tenantId}`} live={live}>
      <p class="lead">
        What a provider's own webhook says of an operation that is not known here. It may only be
        early: for an hour its effect is looked for again. Then it waits for a person.
      </p>
      {reports?.length === 0 && (
        <p class="note good">Every report of a provider has found its effect in {tenantId}.</p>
      )}
      {reports !== undefined && reports.length > 0 && <ReportsTable reports={reports} />}
      {live.body?.isMore === true && <p class="note">There are others that are not listed.</p>}
      {reports?.some(({ outcome }) => outcome !== undefined) === true && <Advice />}
    </Page>
  );
}

function ReportsTable({ reports }: { reports: readonly Report[] }) {
  return (
    <div class="table" tabIndex={0} role="region" aria-label="Reports, table">
      <table>
        <caption class="unseen">Reports: those given up, then those still looked for</caption>
        <thead>
          <tr>
            <th scope="col">Received</th>
            <th scope="col">What it says</th>
            <th scope="col">About</th>
            <th scope="col">What became of it</th>
            <th scope="col">Delivery</th>
          </tr>
        </thead>
        <tbody>
          {reports.map((report) => (
            <tr key={report.id}>
              <td class="when">
                <Ago atMs={report.receivedAtMs} />
              </td>
              <td>
                {report.provider}: {report.providerId} is {report.stage}
                {report.target !== undefined && `, for ${report.target}`}
              </td>
              <td>
                <About report={report} />
              </td>
              <td>
                <Outcome report={report} />
              </td>
              <td>
                {report.eventId} from {report.source}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function About({ report: { about, tenantId } }: { report: Report }) {
  if (about.kind === "providerKey") return <>the key {about.providerKey}</>;
  const [ofTenant, caseId = ""] = about.caseKey.split(":");
  // What a provider echoes may be anything; a link leads only to a case that could be.
  const isOurs = ofTenant === tenantId && /^[a-z2-7]{26}$/.test(caseId);
  return (
    <>
      the operation {about.operationId} of{" "}
      {isOurs ? (
        <a href={linkTo("cases", caseId)}>case {caseId.slice(0, 8)}</a>
      ) : (
        `case ${about.caseKey}`
      )}
    </>
  );
}

function Outcome({ report: { looks, outcome, retryAtMs } }: { report: Report }) {
  if (outcome === undefined) {
    return (
      <>
        <Tag tone="doubt">looked for</Tag> {plural(looks, "time")}
        {retryAtMs !== undefined && (
          <>
            , again <Until atMs={retryAtMs} />
          </>
        )}
      </>
    );
  }
  return (
    <>
      <Tag tone="bad">given up</Tag> <Ago atMs={outcome.atMs} />:{" "}
      {outcome.found === 0 ? "no effect bears it" : `${outcome.found} effects bear it`}
    </>
  );
}

function Advice() {
  return (
    <section aria-labelledby="advice">
      <h2 id="advice">What to do about one that was given up</h2>
      <p>
        Something happened at the provider that the ledger does not know as ours. Ask the provider,
        by its id, who ordered it and for which reference.
      </p>
      <ul>
        <li>Another system's or another environment's: have that webhook sent elsewhere.</li>
        <li>
          Ours, under another tenant or source: correct the source, and let the provider send it
          again. A delivery that comes again is matched anew.
        </li>
        <li>
          Ours, and unknown to the ledger, as after a restore: start a drain, and look at the case
          of that reference before it goes on.
        </li>
        <li>
          Several effects bear the key: ask which one is meant, and settle that one's review with
          the provider's id.
        </li>
      </ul>
      <p class="faint">
        Never settle a review by a report that does not name its operation. A report is gone after
        ninety days.
      </p>
    </section>
  );
}
