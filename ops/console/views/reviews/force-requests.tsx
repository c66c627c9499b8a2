// What one person has asked to force, waiting for the word of a second one.
import type { ForceRequest, Review } from "../../api/shapes.ts";
import { DeedForm, ReasonField, textOf } from "../../parts/deed.tsx";
import { At } from "../../parts/time.tsx";
import { may } from "../../session.ts";
import { choiceName } from "../../words.ts";

export function ForceRequests({ path, shown }: { path: string; shown: Review }) {
  return (
    <>
      {shown.forceRequests.map((request) => (
        <article key={request.requestId} class="note bad">
          <h3>Waits for a second person: {choiceName(request.how)}</h3>
          <p>
            {request.by} asked for it at <At atMs={request.atMs} />: {request.reason}
          </p>
          <Confirm path={path} request={request} version={shown.version} />
        </article>
      ))}
    </>
  );
}

function Confirm(form: { path: string; request: ForceRequest; version: string }) {
  const { path, request, version } = form;
  if (request.isYours) return <p>You asked for it, so somebody else must confirm it.</p>;
  if (!may("overrider")) return <p>Confirming needs the role overrider for this tenant.</p>;
  return (
    <DeedForm
      path={`${path}/confirm`}
      label="Confirm what is forced"
      does="Confirm: two people force it"
      isGrave
      body={(decisionId, fields) => ({
        decisionId,
        requestId: request.requestId,
        expectedVersion: version,
        reason: textOf(fields, "reason"),
      })}
      says={() => "Confirmed and recorded. The next turn of the case settles it."}
    >
      <ReasonField hint="Why you, too, take it on yourself." />
    </DeedForm>
  );
}
