// What a broken rule most likely means for the adapter that was tried, and what to do about it.
const adviceByRule: Readonly<Record<string, string>> = {
  worksUndisturbed:
    "make the action work before anything is stopped: `send` must answer a receipt whose providerId is the stand-in's own number and whose binding (operation, target, payload digest) comes from the answer; whatever it cannot read is noAnswer, and it must not throw.",
  appliedOnce:
    "send `request.providerKey` as it is on every attempt, and answer notApplied only to what proves that nothing was done; silence, a reset and an answer that cannot be read are noAnswer. If the provider enforces no key, the contract must not offer one.",
  confirmedWasApplied:
    "make a receipt of nothing but the provider's own answer: its number, and the operation, target and payload that it names. A 200 that names none of them, or that holds an error, proves nothing (provesNothing in shared/providers/answer-of.ts).",
  deniedWasNotApplied:
    "answer refused and notApplied only to what the contract's `answers` calls so; a time-out, a reset and a 5xx may have been applied, and are noAnswer.",
  contradictionShows:
    "two receipts of one operation must carry the same providerId: take the provider's number, and make none up.",
  bytesAsFrozen:
    "send `request.payload` as it is, with nothing added that the journal takes for a part of it, and give the stand-in's journal in the payload's own terms.",
  receiptIsKept: "answer the receipt from `send` itself; nothing may be done after it was read.",
  statusesFollowTable:
    "a later attempt's refusal says nothing of an earlier one: speaksForOperation must be false unless the contract says otherwise.",
  progress:
    "what the contract promises (a key, a look-up) must really settle an unknown: the same key must give the first answer again, and a look-up must show what was done.",
  comesToRest: "`send` and `lookup` must settle within the `timeoutMs` that they are given.",
  noDefect: "neither `send` nor `lookup` may throw: what went wrong is an answer, too.",
};

export function adviceOn(rule: string): string | undefined {
  return adviceByRule[rule];
}
