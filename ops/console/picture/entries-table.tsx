// The same entries as a table: what the picture shows, for reading, for copying, and for who does not see it.
import type { Entry } from "../api/shapes.ts";
import { Tag } from "../parts/tag.tsx";
import { spanText, timeText } from "../words.ts";
import { laneNames, toneOfEntry } from "./lanes.ts";

export function EntriesTable({ entries, name }: { entries: readonly Entry[]; name: string }) {
  return (
    <div class="table" tabIndex={0} role="region" aria-label={`${name}, table`}>
      <table>
        <caption class="unseen">{name}, in the order of time</caption>
        <thead>
          <tr>
            <th scope="col">When</th>
            <th scope="col">Lane</th>
            <th scope="col">What</th>
            <th scope="col">Outcome</th>
            <th scope="col">By</th>
          </tr>
        </thead>
        <tbody>
          {entries.map((entry, index) => (
            <tr key={`${entry.id} ${index}`}>
              <td class="when">
                {timeText(entry.atMs)}
                {entry.untilMs !== undefined && entry.untilMs > entry.atMs && (
                  <span class="faint"> for {spanText(entry.untilMs - entry.atMs)}</span>
                )}
              </td>
              <td>{laneNames[entry.lane] ?? entry.lane}</td>
              <td>{entry.what}</td>
              <td>
                {entry.outcome !== undefined && (
                  <Tag tone={toneOfEntry(entry)}>{entry.outcome}</Tag>
                )}
              </td>
              <td>{entry.by}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
