// What a provider really promises, in sentences for the person who must weigh it. Pure.
import type { Contract } from "../contract.ts";

export function contractInWords({
  answers,
  callTimeoutMs,
  deliverySilenceMs,
  horizonMs,
  idempotency,
  lookup,
}: Contract): string[] {
  return [
    `A call may take ${span(callTimeoutMs)}; ${span(horizonMs)} after its deadline it can no longer be applied.`,
    idempotency === undefined
      ? "It enforces no key: a second send is a second operation."
      : `It enforces a key for ${span(idempotency.retentionMs)}: within that time, less ${span(idempotency.marginMs)}, the same operation sent again is applied once${idempotency.storesErrors ? ", and an error that it stored under the key is repeated" : ""}${answers?.nothingKept === undefined ? "" : ", but not after it has answered with an error"}.`,
    lookupInWords(lookup),
    ...(deliverySilenceMs === undefined
      ? []
      : [
          `It reports delivery; no report for ${span(deliverySilenceMs)} means that somebody must look.`,
        ]),
  ];
}

function lookupInWords(lookup: Contract["lookup"]): string {
  if (lookup === undefined) return "It offers no look-up: only a person can find out.";
  const { consistency, settleMs } = lookup;
  return consistency === "strong"
    ? "It can be asked for the operation: what it does not show after the horizon did not happen."
    : `It can be searched, up to ${span(settleMs)} late: what a search shows counts, what it does not show proves nothing.`;
}

function span(ms: number): string {
  const [count, unit] =
    ms < 120_000
      ? [ms / 1000, "second"]
      : ms < 7_200_000
        ? [ms / 60_000, "minute"]
        : ms < 172_800_000
          ? [ms / 3_600_000, "hour"]
          : [ms / 86_400_000, "day"];
  const rounded = Math.round(count * 10) / 10;
  return `${rounded} ${unit}${rounded === 1 ? "" : "s"}`;
}
