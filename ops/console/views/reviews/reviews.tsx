// What waits for a person, by what waiting costs: the API's own order.
import { useEffect, useState } from "preact/hooks";
import { useLive } from "../../api/live.ts";
import type { Reviews } from "../../api/shapes.ts";
import { Page } from "../../parts/page.tsx";
import { More, Row, Rows } from "../../parts/rows.tsx";
import { say } from "../../parts/say.tsx";
import { For } from "../../parts/time.tsx";
import { linkTo, place } from "../../place.ts";
import { plural, reviewName, sentence } from "../../words.ts";

export function ReviewsView() {
  const { tenantId } = place.value;
  const [cursor, setCursor] = useState<string>();
  const from = cursor === undefined ? "" : `&cursor=${encodeURIComponent(cursor)}`;
  const live = useLive<Reviews>(`reviews/${tenantId}?max=50${from}`);
  const reviews = live.body?.reviews;
  const count = reviews?.length;
  useEffect(() => {
    if (count !== undefined) say(`${plural(count, "review")} shown`);
  }, [count]);
  return (
    <Page title="Reviews" of={`reviews ${tenantId}`} live={live}>
      <p class="lead">Cases that wait for a person, the costliest wait first.</p>
      {reviews?.length === 0 && <p class="note good">Nothing waits for a person in {tenantId}.</p>}
      {reviews !== undefined && reviews.length > 0 && (
        <Rows label="Open reviews">
          {reviews.map((review) => (
            <Row
              key={`${review.caseId} ${review.id}`}
              link={linkTo("reviews", review.caseId, review.id)}
              title={reviewName(review.kind)}
            >
              <span>
                {review.externalRef} · {review.workflow} · open <For atMs={review.openedAtMs} />
              </span>
              <span>{sentence(review.why)}</span>
              <span class="faint">{review.consequence}</span>
            </Row>
          ))}
        </Rows>
      )}
      <More cursor={cursor} next={live.body?.next} onGo={setCursor} />
    </Page>
  );
}
