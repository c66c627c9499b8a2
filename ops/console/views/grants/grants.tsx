// Who allowed what: the grants of a tenant, giving one, and taking one back.
import { useState } from "preact/hooks";
import { useLive } from "../../api/live.ts";
import type { Grant } from "../../api/shapes.ts";
import { DeedForm, ReasonField, textOf } from "../../parts/deed.tsx";
import { Page } from "../../parts/page.tsx";
import { Tag } from "../../parts/tag.tsx";
import { Ago, At, nowMs } from "../../parts/time.tsx";
import { place } from "../../place.ts";
import { may } from "../../session.ts";
import { GiveGrant } from "./give-grant.tsx";

export function GrantsView() {
  const { tenantId } = place.value;
  const live = useLive<{ grants: Grant[] }>(`grants/${tenantId}`);
  const grants = live.body?.grants;
  return (
    <Page title="Grants" of={`grants ${tenantId}`} live={live}>
      <p class="lead">
        Without a grant nothing is sent. Each is read again just before every send, so that taking
        one back stops the next send, in mid-case, too.
      </p>
      {grants?.length === 0 && <p class="note">Nothing is allowed in {tenantId} yet.</p>}
      <div class="choices">
        {grants?.map((grant) => (
          <GrantPart key={grant.id} grant={grant} />
        ))}
      </div>
      {may("admin") ? <GiveGrant /> : <p class="faint">Giving and revoking need the role admin.</p>}
    </Page>
  );
}

function GrantPart({ grant }: { grant: Grant }) {
  const limits = Object.entries(grant.limits).map(([field, most]) => `${field} at most ${most}`);
  return (
    <article class="choice" aria-label={`Grant ${grant.id}`}>
      <h2 class="small-heading">{grant.action}</h2>
      <p>
        <Tag tone={stateOf(grant) === "in force" ? "good" : "plain"}>{stateOf(grant)}</Tag> for the
        workflow {grant.subject}, {grant.target === "*" ? "any target" : `target ${grant.target}`}
        {limits.length > 0 && `, ${limits.join(", ")}`}
      </p>
      <p class="faint">
        Given by {grant.grantedBy}, <Ago atMs={grant.grantedAtMs} />
        {grant.expiresAtMs !== undefined && (
          <>
            , until <At atMs={grant.expiresAtMs} />
          </>
        )}
        . Its id: {grant.id}
      </p>
      {grant.revoked === undefined ? (
        may("admin") && <Revoke id={grant.id} />
      ) : (
        <p>
          Revoked by {grant.revoked.by} at <At atMs={grant.revoked.atMs} />: {grant.revoked.reason}
        </p>
      )}
    </article>
  );
}

function stateOf({ expiresAtMs, revoked }: Grant): "in force" | "revoked" | "expired" {
  if (revoked !== undefined) return "revoked";
  return expiresAtMs !== undefined && expiresAtMs <= nowMs.value ? "expired" : "in force";
}

function Revoke({ id }: { id: string }) {
  const { tenantId } = place.value;
  const [isOpen, setOpen] = useState(false);
  if (!isOpen) {
    return (
      <button type="button" class="grave" onClick={() => setOpen(true)}>
        Revoke …
      </button>
    );
  }
  return (
    <DeedForm
      path={`grants/${tenantId}/${encodeURIComponent(id)}/revoke`}
      label={`Revoke ${id}`}
      does="Revoke it: nothing more is sent under it"
      isGrave
      body={(_id, fields) => ({ reason: textOf(fields, "reason") })}
      says={() => "Revoked. What was done under it stays done."}
    >
      <ReasonField />
    </DeedForm>
  );
}
