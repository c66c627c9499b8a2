// The attempts of one effect, and what was found about it, on one line of time.
import type { Effect, Entry, Finding } from "../../api/shapes.ts";
import { Picture } from "../../picture/picture.tsx";
import { EntriesTable } from "../../picture/entries-table.tsx";

export function Attempts({ effect, findings }: { effect: Effect; findings: Finding[] }) {
  if (effect.attempts.length === 0) return <p class="faint">Nothing has been sent.</p>;
  const entries: Entry[] = [
    ...effect.attempts.map(({ claimedAtMs, deadlineMs, end, fence, n, order }) => {
      const untilMs = end?.atMs ?? deadlineMs;
      const ordered = order === undefined ? "" : `, ordered by ${order.by}`;
      return {
        lane: "attempt",
        atMs: claimedAtMs,
        ...(untilMs === undefined ? {} : { untilMs }),
        subject: effect.operationId,
        what: `attempt ${n}, fence ${fence}${ordered}`,
        outcome:
          end === undefined ? "under way" : [end.kind, end.reason].filter(Boolean).join(": "),
        id: `attempt ${n}`,
      };
    }),
    ...findings.map(({ by, foundAtMs, id, kind, says, verdict }) => ({
      lane: "finding",
      atMs: foundAtMs,
      subject: effect.operationId,
      what: `${kind}: ${says}`,
      by,
      outcome: verdict ?? "not judged yet",
      id,
    })),
  ].toSorted((a, b) => a.atMs - b.atMs);
  return (
    <>
      <Picture entries={entries} name={`Attempts of ${effect.action}`} />
      <EntriesTable entries={entries} name={`Attempts of ${effect.action}`} />
    </>
  );
}
