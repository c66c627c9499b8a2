// What the broker itself holds, in numbers and over the time that this page has looked; for all tenants together, so it is only
// for roles that are not bound to one.
import { useEffect } from "preact/hooks";
import { useLive } from "../../api/live.ts";
import type { Queues } from "../../api/shapes.ts";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { mayEverywhere } from "../../session.ts";
import { Plot } from "./plot.tsx";
import { samplesOf } from "./samples.ts";

const sampleEveryMs = 10_000;
const samples = samplesOf<NonNullable<Queues["queues"]>>();

export function QueuesPart() {
  const isAllowed = mayEverywhere("reader");
  const live = useLive<Queues>(isAllowed ? "queues" : undefined, sampleEveryMs);
  const queues = live.body?.queues;
  useEffect(() => {
    if (queues !== undefined) samples.keep("all", queues, Date.now());
  }, [queues, live.readAtMs]);
  return (
    <section aria-labelledby="queues">
      <h2 id="queues">Queues, as the broker counts them</h2>
      <p class="faint">
        Of all tenants together. A message is only a hint: what is not done stands in the ledger.
      </p>
      {!isAllowed && <p>It needs a role that is not bound to one tenant.</p>}
      {live.problem !== undefined && <ProblemNote problem={live.problem} />}
      {live.body !== undefined && queues === undefined && (
        <p class="note">The app's identity may not read the broker's counts.</p>
      )}
      {queues !== undefined && <Counts queues={queues} />}
    </section>
  );
}

function Counts({ queues }: { queues: NonNullable<Queues["queues"]> }) {
  const seen = samples.of("all");
  return (
    <>
      <div class="table" tabIndex={0} role="region" aria-label="Queues, table">
        <table>
          <caption class="unseen">Messages in each queue</caption>
          <thead>
            <tr>
              <th scope="col">Queue</th>
              <th scope="col">Waiting or worked on</th>
              <th scope="col">For later</th>
              <th scope="col">Dead letters</th>
            </tr>
          </thead>
          <tbody>
            {queues.map(({ active, deadLettered, name, scheduled }) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td>{active}</td>
                <td>{scheduled}</td>
                <td>{deadLettered}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <div class="plots">
        <Plot
          title="Queue depth by the broker: messages that wait or are worked on"
          at={seen.map(({ readAtMs }) => readAtMs / 1000)}
          series={queues.map(({ name }) => ({
            name,
            values: seen.map(({ now }) => now.find((one) => one.name === name)?.active ?? 0),
          }))}
        />
      </div>
    </>
  );
}
