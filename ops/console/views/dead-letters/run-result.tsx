// What a run came to, or would come to.
import { moveCounts } from "../../api/dead-letter-shapes.ts";
import { ProblemNote } from "../../parts/problem-note.tsx";
import type { Progress } from "./run.ts";

export function RunResult({ dryRun, progress }: { progress: Progress; dryRun: boolean }) {
  const { counts, isDone, left, problem, stopped, verdicts, whys } = progress;
  const parts = moveCounts
    .filter((name) => counts[name] > 0)
    .map((name) => `${counts[name]} ${name}`);
  const what = parts.length === 0 ? "nothing to move" : parts.join(", ");
  const isBad = problem !== undefined || stopped !== undefined || counts.failed > 0;
  return (
    <div class={`note ${isBad ? "bad" : "good"}`} role="status">
      <p>
        <strong>{dryRun ? "It would be: " : "Done: "}</strong>
        {what}
        {!isDone && ", and it did not come to its end; what was not moved stays"}
        {left !== undefined && left > 0 && `; ${left} of them still lie there`}.
      </p>
      {dryRun && Object.keys(verdicts).length > 0 && (
        <>
          <p>By the ledger, a resubmit of these means:</p>
          <ul>
            {Object.entries(verdicts).map(([verdict, { count, says }]) => (
              <li key={verdict}>
                {count} × {verdict}: {says}
              </li>
            ))}
          </ul>
        </>
      )}
      {stopped !== undefined && <p>{stopped}</p>}
      {whys.length > 0 && (
        <ul>
          {whys.map((why) => (
            <li key={why}>{why}</li>
          ))}
        </ul>
      )}
      {problem !== undefined && <ProblemNote problem={problem} />}
    </div>
  );
}
