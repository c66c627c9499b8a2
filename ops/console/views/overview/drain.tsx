// The drain for a deploy: whether one is on, what is still under way, and the switch.
import { useLive } from "../../api/live.ts";
import type { Drain } from "../../api/shapes.ts";
import { DeedForm, ReasonField, textOf } from "../../parts/deed.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { Ago, Until } from "../../parts/time.tsx";
import { mayEverywhere } from "../../session.ts";
import { plural } from "../../words.ts";

export function DrainPart() {
  const { body, problem } = useLive<Drain>(mayEverywhere("reader") ? "drain" : undefined, 2_000);
  return (
    <section aria-labelledby="drain">
      <h2 id="drain">Drain for a deploy</h2>
      <p class="faint">
        It is for all tenants: new decisions and new claims stop, calls that are under way end,
        events are taken.
      </p>
      {!mayEverywhere("reader") && <p>It needs a role that is not bound to one tenant.</p>}
      {problem !== undefined && <ProblemNote problem={problem} />}
      {body !== undefined && <State drain={body} />}
      {body !== undefined && mayEverywhere("admin") && (
        <Switch key={String(body.draining)} drain={body} />
      )}
      {body !== undefined && !mayEverywhere("admin") && (
        <p class="faint">Starting and stopping need the role admin for all tenants.</p>
      )}
    </section>
  );
}

function State({ drain: { drain, draining, inFlight, says } }: { drain: Drain }) {
  const more = inFlight.isMore ? "more than " : "";
  return (
    <div class={`note ${draining ? "doubt" : "good"}`} role="status">
      <p>{says}</p>
      {drain !== undefined && draining && (
        <p>
          Started by {drain.byName ?? drain.by}, <Ago atMs={drain.sinceMs} />: {drain.reason}
        </p>
      )}
      <p>
        {more}
        {plural(inFlight.count, "call")} under way
        {inFlight.lastDeadlineMs !== undefined && (
          <>
            , over for certain <Until atMs={inFlight.lastDeadlineMs} />
          </>
        )}
        .
      </p>
    </div>
  );
}

function Switch({ drain: { draining } }: { drain: Drain }) {
  return (
    <DeedForm
      path={draining ? "drain/stop" : "drain/start"}
      does={draining ? "Stop the drain: work goes on" : "Start a drain"}
      isGrave={!draining}
      body={(decisionId, fields) => ({ decisionId, reason: textOf(fields, "reason") })}
      says={() => (draining ? "Stopped. Work goes on within half a minute." : "Started.")}
    >
      <ReasonField />
    </DeedForm>
  );
}
