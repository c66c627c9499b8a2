// One effect as it was frozen: what would be, or was, sent; to whom; and how it stands. Redacted by the API, never here.
import type { Effect } from "../api/shapes.ts";
import { Content } from "./content.tsx";
import { Tag } from "./tag.tsx";
import { At } from "./time.tsx";

export function EffectPart({ effect }: { effect: Effect }) {
  const { contradicted, receipt, unknownSinceMs } = effect;
  return (
    <>
      <p>
        <strong>{effect.action}</strong> at {effect.provider}, account {effect.account}{" "}
        <Tag>{effect.status}</Tag> {effect.reason}
        {unknownSinceMs !== undefined && (
          <>
            {" "}
            since <At atMs={unknownSinceMs} />
          </>
        )}
      </p>
      <p>
        {effect.mayHaveLeft
          ? "A byte of it may have left."
          : "Nothing of it has left, and that is certain."}
      </p>
      <Payload effect={effect} />
      {receipt !== undefined && (
        <p>
          The provider's receipt: {receipt.providerId} ({receipt.stage})
        </p>
      )}
      {contradicted !== undefined && (
        <p class="note bad">
          Contradicted at <At atMs={contradicted.atMs} />: {contradicted.why}
        </p>
      )}
      <p class="faint small">
        Operation {effect.operationId} · frozen digest {effect.payloadDigest}
      </p>
    </>
  );
}

function Payload({ effect }: { effect: Effect }) {
  if (effect.isHidden) {
    return (
      <p class="note" data-redacted>
        Target and payload are hidden from your role; the digest below names what was frozen.
      </p>
    );
  }
  return (
    <>
      {effect.target !== undefined && <p>To {effect.target}</p>}
      {effect.isSensitive && effect.payload === undefined ? (
        <p class="note">
          The payload is kept apart, encrypted; only an approver who is asked about it reads it.
        </p>
      ) : (
        <Content content={effect.payload ?? {}} name="Frozen payload" />
      )}
    </>
  );
}
