// One question: the facts that it rests on, what exactly would be sent, and the answer. An answer is taken on these facts only;
// when they change, the reader is told and must look again.
import { useEffect, useState } from "preact/hooks";
import { useLive } from "../../api/live.ts";
import type { Approval } from "../../api/shapes.ts";
import { Content } from "../../parts/content.tsx";
import { DeedForm, ReasonField, textOf } from "../../parts/deed.tsx";
import { EffectPart } from "../../parts/effect.tsx";
import { Page } from "../../parts/page.tsx";
import { At, Until } from "../../parts/time.tsx";
import { linkTo, place } from "../../place.ts";
import { may } from "../../session.ts";

export function ApprovalView({ approvalId, caseId }: { caseId: string; approvalId: string }) {
  const { tenantId } = place.value;
  const live = useLive<Approval>(
    `approvals/${tenantId}/${caseId}/${encodeURIComponent(approvalId)}`,
  );
  const shown = live.body;
  return (
    <Page
      title={shown === undefined ? "Approval" : `Approve ${shown.approval.action}?`}
      of={`${caseId} ${approvalId}`}
      live={live}
      back={{ link: linkTo("approvals"), text: "all approvals" }}
    >
      {shown !== undefined && (
        <>
          <p class="lead">
            {shown.approval.externalRef} · {shown.approval.workflow} · asked at{" "}
            <At atMs={shown.approval.askedAtMs} /> on version {shown.approval.version} · expires{" "}
            <Until atMs={shown.approval.expiresAtMs} /> ·{" "}
            <a href={linkTo("cases", caseId)}>the case in time</a>
          </p>
          <p class="note doubt">
            <strong>What is at stake.</strong> {shown.approval.consequence}
          </p>
          <MovedOn shown={shown} />
          <section aria-labelledby="facts">
            <h2 id="facts">The facts, version {shown.version}</h2>
            {shown.facts === undefined ? (
              <p class="note" data-redacted>
                The facts are hidden from your role.
              </p>
            ) : (
              <Content content={shown.facts} name="Facts" />
            )}
          </section>
          <section aria-labelledby="sent">
            <h2 id="sent">What exactly would be sent</h2>
            <EffectPart effect={shown.effect} />
          </section>
          <AnswerPart caseId={caseId} shown={shown} />
        </>
      )}
    </Page>
  );
}

function MovedOn({ shown: { approval, version } }: { shown: Approval }) {
  const [firstVersion] = useState(version);
  if (approval.answer !== undefined) {
    const { atMs, by, decision } = approval.answer;
    return (
      <p class="note good" role="status">
        Answered: {decision} by {by} at <At atMs={atMs} />.
      </p>
    );
  }
  if (approval.stands) return null;
  return (
    <div class="note bad" role="alert">
      <p>
        <strong>The facts have changed since this was asked.</strong> It was asked on version{" "}
        {approval.version}; the case is at version {version}
        {version === firstVersion ? "" : " since a moment ago"}. An answer would be void. The case
        is decided anew; look for a new question in the list.
      </p>
      <p>
        <a href={linkTo("approvals")}>Look again</a>
      </p>
    </div>
  );
}

function AnswerPart({ caseId, shown: { approval } }: { caseId: string; shown: Approval }) {
  const { tenantId } = place.value;
  const [decision, setDecision] = useState<"approve" | "refuse">();
  useEffect(() => setDecision(undefined), [approval.id]);
  if (approval.answer !== undefined) return null;
  if (!may("approver")) {
    return <p class="faint">Answering needs the role approver for this tenant.</p>;
  }
  if (!approval.mayAnswer) {
    return <p class="note">Whoever set the case going may not answer: it takes somebody else.</p>;
  }
  return (
    <section aria-labelledby="answer">
      <h2 id="answer">Your answer</h2>
      <fieldset class="inline-fields">
        <legend class="unseen">Your answer</legend>
        {(["approve", "refuse"] as const).map((one) => (
          <label key={one} class="check">
            <input
              type="radio"
              name="decision"
              checked={decision === one}
              onChange={() => setDecision(one)}
            />
            {one === "approve" ? "Yes, send exactly this" : "No, do not send it"}
          </label>
        ))}
      </fieldset>
      {decision !== undefined && (
        <DeedForm
          path={`cases/${tenantId}/${caseId}/approvals/${encodeURIComponent(approval.id)}/answer`}
          label="Answer"
          does={decision === "approve" ? "Record: yes" : "Record: no"}
          isGrave={decision === "refuse"}
          body={(answerId, fields) => ({ answerId, decision, reason: textOf(fields, "reason") })}
          says={() => "Answered. It holds for these facts and these bytes only."}
        >
          <ReasonField />
        </DeedForm>
      )}
    </section>
  );
}
