// Questions that nobody has answered yet, the oldest first.
import { useState } from "preact/hooks";
import { useLive } from "../../api/live.ts";
import type { Approvals } from "../../api/shapes.ts";
import { Page } from "../../parts/page.tsx";
import { More, Row, Rows } from "../../parts/rows.tsx";
import { Tag } from "../../parts/tag.tsx";
import { Ago, Until } from "../../parts/time.tsx";
import { linkTo, place } from "../../place.ts";

export function ApprovalsView() {
  const { tenantId } = place.value;
  const [cursor, setCursor] = useState<string>();
  const from = cursor === undefined ? "" : `&cursor=${encodeURIComponent(cursor)}`;
  const live = useLive<Approvals>(`approvals/${tenantId}?max=50${from}`);
  const approvals = live.body?.approvals;
  return (
    <Page title="Approvals" of={`approvals ${tenantId}`} live={live}>
      <p class="lead">Nothing of a plan is sent before all that it needs is approved.</p>
      {approvals?.length === 0 && <p class="note good">No question is open in {tenantId}.</p>}
      {approvals !== undefined && approvals.length > 0 && (
        <Rows label="Open approvals">
          {approvals.map((approval) => (
            <Row
              key={`${approval.caseId} ${approval.id}`}
              link={linkTo("approvals", approval.caseId, approval.id)}
              title={`${approval.action} for ${approval.externalRef}`}
            >
              <span>
                asked <Ago atMs={approval.askedAtMs} />, expires{" "}
                <Until atMs={approval.expiresAtMs} />{" "}
                {!approval.stands && <Tag tone="doubt">the case has moved on</Tag>}
              </span>
              <span class="faint">{approval.consequence}</span>
            </Row>
          ))}
        </Rows>
      )}
      <More cursor={cursor} next={live.body?.next} onGo={setCursor} />
    </Page>
  );
}
