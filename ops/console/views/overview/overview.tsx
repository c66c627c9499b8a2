// How the tenant stands, in numbers and over the time that this page has looked; and the drain of the whole deployment.
//
// The API tells how things stand now, and keeps no series: what is plotted was sampled by this page since it was opened.
import { useEffect } from "preact/hooks";
import { useLive } from "../../api/live.ts";
import type { Overview } from "../../api/shapes.ts";
import { Page } from "../../parts/page.tsx";
import { linkTo, place } from "../../place.ts";
import { spanText } from "../../words.ts";
import { DrainPart } from "./drain.tsx";
import { Plot } from "./plot.tsx";
import { QueuesPart } from "./queues.tsx";
import { samplesOf } from "./samples.ts";

const sampleEveryMs = 10_000;
const kept = samplesOf<Overview>();

export function OverviewView() {
  const { tenantId } = place.value;
  const live = useLive<Overview>(`overview/${tenantId}`, sampleEveryMs);
  const now = live.body;
  useEffect(() => {
    if (now !== undefined) kept.keep(tenantId, now, Date.now());
  }, [now, live.readAtMs, tenantId]);
  return (
    <Page title="Overview" of={`overview ${tenantId}`} live={live}>
      {now !== undefined && (
        <>
          <Numbers now={now} />
          <Plots tenantId={tenantId} />
        </>
      )}
      <QueuesPart />
      <DrainPart />
    </Page>
  );
}

function Numbers({ now }: { now: Overview }) {
  const oldestMs = oldestUnknownMs(now);
  const numbers: [string, string | number, string?][] = [
    ["Reviews open", now.openReviews, linkTo("reviews")],
    ["Cases held", now.heldCases],
    ["Approvals open", now.openApprovals, linkTo("approvals")],
    ["Unknown effects", now.unknown.count],
    ["Oldest unknown", oldestMs === 0 ? "none" : spanText(oldestMs)],
    ["Records due, not done", now.workDue],
  ];
  return (
    <dl class="numbers" aria-label="How it stands now">
      {numbers.map(([name, value, link]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{link === undefined ? value : <a href={link}>{value}</a>}</dd>
        </div>
      ))}
    </dl>
  );
}

function oldestUnknownMs({ atMs, unknown }: Overview): number {
  return unknown.oldestSinceMs === undefined ? 0 : Math.max(0, atMs - unknown.oldestSinceMs);
}

function Plots({ tenantId }: { tenantId: string }) {
  const samples = kept.of(tenantId);
  const of = (read: (overview: Overview) => number) => samples.map(({ now }) => read(now));
  const at = samples.map(({ readAtMs }) => readAtMs / 1000);
  const outcomes = ["confirmed", "rejected", "unknown", "cancelled"];
  return (
    <section aria-labelledby="plots">
      <h2 id="plots">Since this page was opened</h2>
      <p class="faint">
        Sampled every few seconds while you look. Effects are of the last 24 hours.
      </p>
      <div class="plots">
        <Plot
          title="Age of the oldest unknown effect, in minutes"
          at={at}
          series={[
            { name: "oldest", values: of((now) => Math.round(oldestUnknownMs(now) / 6_000) / 10) },
          ]}
        />
        <Plot
          title="Effects by outcome"
          at={at}
          series={outcomes.map((name) => ({ name, values: of((now) => now.effects[name] ?? 0) }))}
        />
        <Plot
          title="Effects that are confirmed and had more than one attempt"
          at={at}
          series={[{ name: "retried", values: of((now) => now.confirmedAfterRetry) }]}
        />
        <Plot
          title="Work by the ledger: records that are due and not done"
          at={at}
          series={[{ name: "due", values: of((now) => now.workDue) }]}
        />
      </div>
    </section>
  );
}
