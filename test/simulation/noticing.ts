// What batches show to have come about, as the store takes them in.
import type { Batch } from "../../shared/stores/ports.ts";
import { isLimited } from "../audit/grants.ts";
import type { Happening } from "./happenings.ts";
import type { Notebook } from "./notebook.ts";

/** What a batch shows to have come about. */
export function noticing(notes: Notebook, nowMs: () => number): (batch: Batch) => void {
  let last: { revision: number; atMs: number } | undefined;
  return ({ creates, log, replaces }) => {
    for (const document of [...creates, ...replaces]) {
      const seen = seenIn(document, notes);
      if (seen !== undefined) notes.happen(seen);
    }
    if (creates.some((document) => document.type === "effect" && document.repeats !== undefined))
      notes.happen("a repetition was meant");
    for (const line of log.did) {
      if (line.includes("retry ordered")) notes.happen("a person ordered another try");
      if (line.startsWith("reopened: ")) notes.happen("a closed case was reopened");
      if (/approval asked for .*\.step/.test(line))
        notes.happen("one effect of an action asked first");
      if (line.includes("released: tried again")) notes.happen("a held case was released");
    }
    const writer = notes.workers.get(log.by);
    if (writer === undefined) return;
    const { revision } = writer;
    if (last !== undefined && last.revision !== revision && nowMs() - last.atMs < 60_000)
      notes.happen("two revisions were at work");
    last = { revision, atMs: nowMs() };
  };
}

function seenIn(
  document: Batch["creates" | "replaces"][number],
  { grants }: Notebook,
): Happening | undefined {
  switch (document.type) {
    case "payload":
      return document.keyId === "simulated-1"
        ? undefined
        : "a payload was sealed under a newer key";
    case "effect": {
      const isHeld = document.status === "prepared" && document.grantHold !== undefined;
      const isOfIt = ({ grant }: Notebook["grants"][number]) => grant.action === document.action;
      const last = isHeld ? grants.findLast(isOfIt)?.grant : undefined;
      return last !== undefined && isLimited(last) ? "an amount was above its limit" : undefined;
    }
    case "review":
      if (document.why.includes("pruned") && document.resolution === undefined)
        return "a key was too old to send again";
      if (document.kind !== "PayloadUnavailable") return undefined;
      return document.resolution === undefined
        ? "a payload could not be read"
        : "a payload could be read again";
    default:
      return undefined;
  }
}
