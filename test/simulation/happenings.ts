// What schedules must bring about, beside the faults themselves: each is counted where it happens, and a run of a thousand
// schedules in which one of them never happened has proved nothing about it (simulate.ts).
export const happenings = [
  // Events, writes, systems.
  "an event was overtaken",
  "a run of a schedule was there already",
  "a late write landed",
  "a key was too old to send again",
  "a search lagged behind",
  "a look-up was made at another address",
  "a look-up showed something that somebody else had made",
  "a call was applied after its time",
  "a system asked for time",
  "a system was down for longer than it keeps its keys",
  "a system reported before its own outcome",
  "a report came after the end",
  "what was something else was told in fewer words",
  "a report named no effect yet",
  // Deciding.
  "a checkpoint was lost",
  "a checkpoint was used",
  "the model failed",
  "a repetition was meant",
  "something was made good",
  // Revisions.
  "two revisions were at work",
  "newer work was left alone",
  "an older revision's plan was carried on",
  // Approvals.
  "an approval was given",
  "an approval was refused",
  "a question ran out",
  "an answer was void",
  "an answer came second",
  "an answer found the facts of record changed",
  "an answer could not see the facts of record",
  "whoever requested it was refused",
  "a machine was refused",
  // Grants.
  "a grant woke a case",
  "a grant ran out",
  "an amount was above its limit",
  "the gate read a limit",
  // Sensitive payloads.
  "a payload could not be read",
  "a payload could be read again",
  "a payload was sealed under a newer key",
  // Pacing, and who works on what.
  "a living worker lost its session to another",
  "a breaker was open",
  "all places were taken",
  // The gate, by what it found.
  "the gate found a case that was written",
  "the gate found something new",
  "the gate found no grant",
  "the gate found no approval",
  "the gate found a pruned key",
  "the gate found its time run out",
  // Operators.
  "a person ordered another try",
  "a held case was released",
  "a closed case was reopened",
  "one effect of an action asked first",
  "an erasure was refused",
  "a case was erased",
] as const;

export type Happening = (typeof happenings)[number];
export type Happen = (name: Happening) => void;

/** What a send gate says when it is closed (shared/flow/turn/send-effect.ts). */
const gateFound: Readonly<Record<string, Happening>> = {
  "the case was written after the claim": "the gate found a case that was written",
  "something new has arrived": "the gate found something new",
  "the grant no longer covers it": "the gate found no grant",
  "an approval no longer holds": "the gate found no approval",
  "the provider may have pruned the key by now": "the gate found a pruned key",
  "the claim's time ran out": "the gate found its time run out",
};

/** What a worker's log line tells of. */
export function heardIn(message: string, reason: unknown): Happening | undefined {
  if (message === "left alone: written by newer code") return "newer work was left alone";
  if (message === "the send gate was closed") return gateFound[String(reason)];
  return undefined;
}
