// Rules of amounts and of sensitive payloads, taken away one by one.
import { one, type SafetyMutant } from "./mutant.ts";

const domain = "shared/domain";
const grant = `${domain}/records/grant.ts`;
const frozen = `${domain}/frozen-payload.ts`;

export const payloadMutants: readonly SafetyMutant[] = [
  {
    without: "the greatest amount of a grant",
    patches: one(
      grant,
      "return Object.entries(grant.limits).every(",
      "return Object.entries<string>({}).every(",
    ),
    seenBy: ["grantHeldAtGate"],
  },
  {
    without: "an amount's size, compared as text instead",
    patches: one(grant, "return digitsOf(amount) <= digitsOf(limit);", "return amount <= limit;"),
    seenBy: ["grantHeldAtGate"],
  },
  {
    without: "the currency of a grant",
    patches: one(grant, "if (!isOnly) return false;", "if (!isOnly && nowMs < 0) return false;"),
    seenBy: ["grantHeldAtGate"],
  },
  {
    without: "the sealing of a sensitive payload",
    patches: one(
      frozen,
      "if (book.action(action)?.sensitive !== true) {",
      'if (book.action(action)?.name !== "") {',
    ),
    seenBy: ["sealedApart"],
  },
  {
    without: "silence about what a provider repeats",
    patches: one(
      frozen,
      "if (effect.payloadRef === undefined) return answer;",
      'if (effect.payloadRef !== "") return answer;',
    ),
    seenBy: ["sealedApart"],
  },
  {
    without: "the withholding of what cannot be read",
    patches: one(
      frozen,
      'if (opened.kind === "closed") return unavailable(opened.why);',
      'if (opened.kind === "closed") return { kind: "payload", payload: {} };',
    ),
    seenBy: ["bytesAsFrozen"],
  },
  {
    without: "the older payload keys",
    patches: one(
      `${domain}/payload-keys.ts`,
      "const key = sealing.find(({ id }) => id === sealed.keyId);",
      "const key = [newest].find(({ id }) => id === sealed.keyId);",
    ),
    seenBy: ["progress"],
  },
  {
    without: "the need of a payload",
    patches: one(
      `${domain}/transitions/payload-life.ts`,
      "return [...candidates].filter((id) => !needed.has(id));",
      "return [...candidates].filter((id) => needed.size >= 0 && id.length > 0);",
    ),
    seenBy: ["payloadsKept"],
  },
  {
    without: "the end of a payload",
    patches: one(
      "shared/flow/turn/batch-of.ts",
      "amends: endedPayloads(turn.base, turn.draft).map(",
      "amends: endedPayloads(turn.base, turn.draft).slice(0, 0).map(",
    ),
    seenBy: ["payloadsKept"],
  },
];
