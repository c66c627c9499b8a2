// Resubmitting or archiving the dead letters that a filter names: a rehearsal first, then the run, request by request.
//
// The API bounds each request; `next` goes on with the same run, which never takes up what it sent itself. Cut off anywhere,
// nothing is lost: the same command again begins with what still lies there.
import { exitCodes, Failure } from "../../exit-codes.ts";
import { caseIdOf, read, type Session } from "../../session.ts";
import { printable, table } from "../../show.ts";
import { confirmed, decisionIdOf, type WriteOptions } from "../../write.ts";
import { lettersPath, MoveAnswer, type Filter, type Moved, type Queue } from "./letter.ts";

export type How = "resubmit" | "archive";

export interface FilterOptions extends WriteOptions {
  queue: Queue;
  cause?: string;
  case?: string;
  sequence?: string[];
  all?: boolean;
}

/** Of all requests of a run together; of the letters, those that need a person. */
export interface Total {
  dryRun: boolean;
  total: number;
  resubmitted: number;
  archived: number;
  parked: number;
  failed: number;
  skipped: number;
  left?: number;
  /** There were more than one run covers. */
  isMore?: true;
  /** Of a dry run: what another look would do, how often, and the first one's words. */
  verdicts: { verdict: string; count: number; says: string }[];
  letters: Moved[];
}

export const nothingMoved = (dryRun: boolean): Total => ({
  dryRun,
  total: 0,
  resubmitted: 0,
  archived: 0,
  parked: 0,
  failed: 0,
  skipped: 0,
  verdicts: [],
  letters: [],
});

const requestMax = 100;
const shownMax = 20;

export async function moveByFilter(
  session: Session,
  how: How,
  options: FilterOptions,
): Promise<void> {
  const tenant = await session.tenant();
  const filter = await filterOf(session, tenant, options);
  const path = lettersPath(tenant, options.queue, how);
  const body = { filter, reason: options.reason };
  if (options.dryRun === true || options.yes !== true) {
    const rehearsed = await rehearse(session, path, body);
    if (options.dryRun === true) {
      session.show(rehearsed, () => rehearsalInWords(how, rehearsed));
      return;
    }
    if (rehearsed.total === 0) {
      session.show({ ...rehearsed, dryRun: false }, () => "No dead letter is like that.");
      return;
    }
    await confirmed(session, rehearsalInWords(how, rehearsed));
  }
  const total = await run(session, path, { ...body, decisionId: decisionIdOf({}) });
  session.show(total, () => totalInWords(total));
  if (total.failed > 0) throw new Failure(exitCodes.refused, "some could not be moved; see above.");
}

async function filterOf(session: Session, tenant: string, options: FilterOptions): Promise<Filter> {
  const { all, case: named, cause, sequence } = options;
  if (all !== true && named === undefined && cause === undefined && sequence === undefined) {
    const what = "say which: --cause, --case, --sequence, or --all.";
    throw new Failure(exitCodes.usage, what);
  }
  return {
    ...(cause === undefined ? {} : { cause }),
    ...(named === undefined ? {} : { caseId: await caseIdOf(session.api, tenant, named) }),
    ...(sequence === undefined ? {} : { sequenceNumbers: sequence }),
  };
}

async function rehearse(session: Session, path: string, body: object): Promise<Total> {
  const total = nothingMoved(true);
  let cursor: string | undefined;
  do {
    if (session.terminal.signal.aborted) throw interrupted(total);
    const answer = await request(session, path, { ...body, dryRun: true, cursor });
    addTo(total, answer);
    cursor = answer.done ? undefined : answer.next;
  } while (cursor !== undefined);
  return total;
}

async function run(
  session: Session,
  path: string,
  body: object & { decisionId: string },
): Promise<Total> {
  const total = nothingMoved(false);
  let cursor: string | undefined;
  do {
    const answer = await request(session, path, { ...body, dryRun: false, cursor });
    addTo(total, answer);
    session.terminal.progress(progressInWords(total));
    if (answer.stopped !== undefined) throw stopped(session, total, answer.stopped);
    cursor = answer.done ? undefined : answer.next;
    if (answer.left !== undefined) total.left = answer.left;
    if (answer.isMore === true) total.isMore = true;
    if (cursor !== undefined && session.terminal.signal.aborted) throw interrupted(total);
  } while (cursor !== undefined);
  return total;
}

export async function request(
  { api }: Session,
  path: string,
  body: Readonly<Record<string, unknown>>,
): Promise<MoveAnswer> {
  return read(MoveAnswer, await api.post(path, { max: requestMax, ...body }));
}

function needsPerson({ outcome, why }: Moved): boolean {
  return outcome === "failed" || outcome === "parked" || why !== undefined;
}

export function addTo(total: Total, answer: MoveAnswer): void {
  total.total = Math.max(total.total, answer.total);
  for (const count of ["resubmitted", "archived", "parked", "failed", "skipped"] as const) {
    total[count] += answer[count];
  }
  total.letters.push(...answer.letters.filter(needsPerson));
  for (const { preview } of answer.letters) {
    if (preview === undefined) continue;
    const known = total.verdicts.find(({ verdict }) => verdict === preview.verdict);
    if (known !== undefined) known.count += 1;
    else total.verdicts.push({ verdict: preview.verdict, count: 1, says: preview.says });
  }
}

export function progressInWords(total: Total): string {
  const done = total.resubmitted + total.archived + total.parked + total.failed + total.skipped;
  const width = 24;
  const filled = Math.round((width * Math.min(done, total.total)) / Math.max(1, total.total));
  return `[${"#".repeat(filled)}${".".repeat(width - filled)}] ${done} of ${total.total}`;
}

export function stopped(session: Session, total: Total, why: string): Failure {
  if (session.isJson) session.show(total, () => "");
  const what = `stopped: ${why}. So far: ${counts(total)}. Run the same command again to go on.`;
  return new Failure(exitCodes.unavailable, what);
}

export function interrupted(total: Total): Failure {
  if (total.dryRun) return new Failure(exitCodes.interrupted, "interrupted; nothing was moved.");
  const what = `interrupted. So far: ${counts(total)}. Nothing is lost; run the same command again to go on.`;
  return new Failure(exitCodes.interrupted, what);
}

export function counts(total: Total): string {
  const { archived, failed, parked, resubmitted, skipped } = total;
  return Object.entries({ resubmitted, archived, parked, failed, skipped })
    .filter(([name, count]) => count > 0 || name === "resubmitted" || name === "archived")
    .map(([name, count]) => `${count} ${name}`)
    .join(", ");
}

export function rehearsalInWords(how: How | "drain", total: Total): string {
  const lines = total.verdicts.map(({ count, says, verdict }) => [String(count), verdict, says]);
  return [
    `It would be: ${counts(total)} (of ${total.total}). What another look would do, by the ledger:`,
    "",
    table(["letters", "verdict", "for example"], lines, "No dead letter is like that."),
    "",
    how === "archive"
      ? "Archived letters are kept as records, and no look is taken for them."
      : "A resubmit is only another look: the ledger lets no effect happen twice.",
  ].join("\n");
}

export function totalInWords(total: Total): string {
  const rows = total.letters
    .slice(0, shownMax)
    .map(({ outcome, sequenceNumber, why }) => [sequenceNumber, outcome, why ?? ""]);
  return [
    `Done: ${counts(total)}.`,
    ...(total.left === undefined || total.left === 0
      ? []
      : [`${total.left} of them still lie there (failed, locked by somebody else, or back).`]),
    ...(total.isMore === true ? ["There are more behind them. Run the same command again."] : []),
    ...(rows.length === 0 ? [] : ["", table(["number", "outcome", "why"], rows)]),
  ]
    .map((line) => line.split("\n").map(printable).join("\n"))
    .join("\n");
}
