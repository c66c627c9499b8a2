// One review on one screen: what was attempted, what is known, what the provider promises, and what each choice would do.
import { useLive } from "../../api/live.ts";
import type { Review } from "../../api/shapes.ts";
import { EffectPart } from "../../parts/effect.tsx";
import { Page } from "../../parts/page.tsx";
import { Tag } from "../../parts/tag.tsx";
import { Ago, At, For, Until } from "../../parts/time.tsx";
import { linkTo, place } from "../../place.ts";
import { may } from "../../session.ts";
import { choiceName, reviewName, sentence } from "../../words.ts";
import { Attempts } from "./attempts.tsx";
import { ChoiceForm } from "./choice-form.tsx";
import { ForceRequests } from "./force-requests.tsx";

export function ReviewView({ caseId, reviewId }: { caseId: string; reviewId: string }) {
  const { tenantId } = place.value;
  const path = `reviews/${tenantId}/${caseId}/${encodeURIComponent(reviewId)}`;
  const live = useLive<Review>(path);
  const shown = live.body;
  const title = shown === undefined ? "Review" : reviewName(shown.review.kind);
  return (
    <Page
      title={title}
      of={`${caseId} ${reviewId}`}
      live={live}
      back={{ link: linkTo("reviews"), text: "all reviews" }}
    >
      {shown !== undefined && (
        <>
          <p class="lead">
            {shown.case.externalRef} · {shown.case.workflow} · status {shown.case.status}, version{" "}
            {shown.case.version}
            {shown.case.held !== undefined && <> · held: {shown.case.held}</>} · open{" "}
            <For atMs={shown.review.openedAtMs} /> ·{" "}
            <a href={linkTo("cases", caseId)}>the case in time</a>
          </p>
          <p>{sentence(shown.review.why)}</p>
          {shown.review.providerIds !== undefined && (
            <p>The provider calls it {shown.review.providerIds.join(", ")}.</p>
          )}
          <p class="note doubt">
            <strong>What is at stake.</strong> {shown.review.consequence}
          </p>
          <Settled shown={shown} />
          <Known shown={shown} />
          <Choices path={path} shown={shown} />
        </>
      )}
    </Page>
  );
}

function Settled({ shown: { review, waitsForTurn } }: { shown: Review }) {
  const { resolution } = review;
  if (resolution !== undefined) {
    return (
      <p class="note good" role="status">
        <strong>Resolved.</strong> {resolution.how}, by {resolution.by} at{" "}
        <At atMs={resolution.atMs} />
        {resolution.reason === undefined ? "." : `: ${resolution.reason}`}
      </p>
    );
  }
  if (!waitsForTurn) return null;
  return (
    <p class="note good" role="status">
      Somebody has resolved it. The next turn of the case settles it; this page shows how.
    </p>
  );
}

function Known({ shown: { contract, effect, findings } }: { shown: Review }) {
  return (
    <>
      {effect !== undefined && (
        <>
          <section aria-labelledby="attempted">
            <h2 id="attempted">What was attempted</h2>
            <EffectPart effect={effect} />
          </section>
          <section aria-labelledby="attempts">
            <h2 id="attempts">Attempts</h2>
            <Attempts effect={effect} findings={findings} />
          </section>
        </>
      )}
      <section aria-labelledby="findings">
        <h2 id="findings">What is known</h2>
        {findings.length === 0 && <p class="faint">Nobody has told anything about it yet.</p>}
        <ul class="plain">
          {findings.map((finding) => (
            <li key={finding.id}>
              <Ago atMs={finding.foundAtMs} /> · {finding.kind}: {finding.says}{" "}
              <Tag>{finding.verdict ?? "not judged yet"}</Tag>{" "}
              <span class="faint">by {finding.by}</span>
            </li>
          ))}
        </ul>
      </section>
      {contract !== undefined && (
        <section aria-labelledby="contract">
          <h2 id="contract">What {contract.provider} promises</h2>
          <ul>
            {contract.says.map((sentence) => (
              <li key={sentence}>{sentence}</li>
            ))}
          </ul>
          {contract.horizonEndsAtMs !== undefined && (
            <p>
              What has left may still be applied until <At atMs={contract.horizonEndsAtMs} /> (
              <Until atMs={contract.horizonEndsAtMs} />
              ).
            </p>
          )}
        </section>
      )}
    </>
  );
}

function Choices({ path, shown }: { path: string; shown: Review }) {
  if (shown.choices.length === 0) return null;
  const mayChoose = may("operator") && !shown.waitsForTurn;
  return (
    <section aria-labelledby="choices">
      <h2 id="choices">Choices, and what each does</h2>
      <ForceRequests path={path} shown={shown} />
      {!may("operator") && <p class="faint">Choosing needs the role operator for this tenant.</p>}
      <div class="choices">
        {shown.choices.map((choice) => (
          <article key={choice.how} class={choice.isPermitted ? "choice" : "choice closed"}>
            <h3>{choiceName(choice.how)}</h3>
            <p>{choice.consequence}</p>
            {!choice.isPermitted && (
              <p>
                <Tag tone="bad">not permitted</Tag> {sentence(choice.why ?? "")}
                {choice.fromMs !== undefined && (
                  <>
                    {" "}
                    It will be <Until atMs={choice.fromMs} />.
                  </>
                )}
              </p>
            )}
            {mayChoose && <ChoiceForm path={path} choice={choice} version={shown.version} />}
          </article>
        ))}
      </div>
    </section>
  );
}
