// Giving a grant: cases that wait for it are woken.
import { DeedForm, textOf } from "../../parts/deed.tsx";
import { place } from "../../place.ts";
import { plural } from "../../words.ts";

export function GiveGrant() {
  const { tenantId } = place.value;
  return (
    <section aria-labelledby="give">
      <h2 id="give">Give a grant</h2>
      <DeedForm
        path={`grants/${tenantId}`}
        label="Give a grant"
        does="Give it"
        body={(id, fields) => bodyOf(id, fields)}
        says={(answer) => `Given. It woke ${plural(wokenOf(answer), "case")} that waited for it.`}
      >
        <label>
          Workflow
          <input name="subject" required maxLength={100} autocomplete="off" />
        </label>
        <label>
          Action <span class="faint">With its version, like email.send_notification.v1</span>
          <input name="action" required maxLength={100} autocomplete="off" />
        </label>
        <label>
          Target <span class="faint">Empty: any</span>
          <input name="target" maxLength={500} autocomplete="off" />
        </label>
        <label>
          Limited field of the payload <span class="faint">Like amount; empty: no limit</span>
          <input name="limitField" maxLength={100} autocomplete="off" />
        </label>
        <label>
          At most <span class="faint">A decimal amount, like 500.00</span>
          <input name="limitMost" pattern="\d{1,15}(\.\d{1,6})?" autocomplete="off" />
        </label>
        <label>
          Until <span class="faint">Your local time; empty: until it is revoked</span>
          <input name="expiresAt" type="datetime-local" />
        </label>
      </DeedForm>
    </section>
  );
}

function bodyOf(id: string, fields: FormData): object {
  const target = textOf(fields, "target");
  const limitField = textOf(fields, "limitField");
  const expiresAt = textOf(fields, "expiresAt");
  return {
    id: `console:${id}`,
    subject: textOf(fields, "subject"),
    action: textOf(fields, "action"),
    ...(target === "" ? {} : { target }),
    ...(limitField === "" ? {} : { limits: { [limitField]: textOf(fields, "limitMost") } }),
    ...(expiresAt === "" ? {} : { expiresAt: new Date(expiresAt).toISOString() }),
  };
}

function wokenOf(answer: unknown): number {
  if (typeof answer !== "object" || answer === null || !("woken" in answer)) return 0;
  return Number(answer.woken);
}
