// Draining: everything that lies there when it begins, page by page from the front.
//
//   rehearsal of a page (its `next` ends where the queue ended at the beginning)
//     no hint of any case -> archive: each further look would fail again
//     all the others      -> resubmit: another look at the case, judged by its ledger
//
// Each page is dealt with by its numbers, so what dies again meanwhile lies behind the end and is left for the next drain.
import { exitCodes, Failure } from "../../exit-codes.ts";
import type { Session } from "../../session.ts";
import { confirmed, decisionIdOf, type WriteOptions } from "../../write.ts";
import { lettersPath, noHint, queuesOf, type Moved, type Queue } from "./letter.ts";
import {
  addTo,
  counts,
  interrupted,
  nothingMoved,
  progressInWords,
  rehearsalInWords,
  request,
  stopped,
  totalInWords,
  type How,
  type Total,
} from "./move-letters.ts";

interface DrainOptions extends WriteOptions {
  queue?: Queue;
}

interface Place {
  session: Session;
  tenant: string;
  queue: Queue;
  reason: string;
}

export async function drainLetters(session: Session, options: DrainOptions): Promise<void> {
  const tenant = await session.tenant();
  const { reason } = options;
  const places = queuesOf(options).map((queue): Place => ({ session, tenant, queue, reason }));
  if (options.dryRun === true || options.yes !== true) {
    const rehearsed = nothingMoved(true);
    for (const place of places) await rehearse(place, rehearsed);
    if (options.dryRun === true) {
      session.show(rehearsed, () => rehearsalInWords("drain", rehearsed));
      return;
    }
    if (rehearsed.total > 0) await confirmed(session, rehearsalInWords("drain", rehearsed));
  }
  const total = nothingMoved(false);
  for (const place of places) {
    session.terminal.err(`Draining ${place.queue} ...`);
    await drain(place, total);
  }
  session.show(total, () => totalInWords(total));
  if (total.failed > 0) throw new Failure(exitCodes.refused, "some could not be moved; see above.");
}

async function rehearse(place: Place, total: Total): Promise<void> {
  const before = total.total;
  for await (const page of pages(place, total)) {
    const { archive, resubmit } = sorted(page.letters);
    addTo(total, {
      ...page,
      total: before + page.total,
      resubmitted: resubmit.length - page.parked - page.skipped,
      archived: archive.length,
      failed: 0,
    });
  }
}

async function* pages({ queue, reason, session, tenant }: Place, total: Total) {
  const path = lettersPath(tenant, queue, "resubmit");
  let cursor: string | undefined;
  do {
    if (session.terminal.signal.aborted) throw interrupted(total);
    const page = await request(session, path, { dryRun: true, filter: {}, reason, cursor });
    yield page;
    cursor = page.done ? undefined : page.next;
  } while (cursor !== undefined);
}

async function drain(place: Place, total: Total): Promise<void> {
  const before = total.total;
  for await (const page of pages(place, total)) {
    total.total = before + page.total;
    const { archive, resubmit } = sorted(page.letters);
    for (const [how, numbers] of [
      ["archive", archive],
      ["resubmit", resubmit],
    ] as const) {
      await move(place, { how, numbers }, total);
    }
    place.session.terminal.progress(`${progressInWords(total)} (${counts(total)})`);
  }
}

function sorted(letters: readonly Moved[]): Record<How, string[]> {
  const numbersOf = (wanted: readonly Moved[]) => wanted.map((one) => one.sequenceNumber);
  const hopeless = letters.filter(
    ({ outcome, preview }) => preview?.verdict === noHint || outcome === "failed",
  );
  return {
    archive: numbersOf(hopeless),
    resubmit: numbersOf(letters.filter((letter) => !hopeless.includes(letter))),
  };
}

async function move(
  { queue, reason, session, tenant }: Place,
  { how, numbers }: { how: How; numbers: string[] },
  total: Total,
): Promise<void> {
  if (numbers.length === 0) return;
  const body = {
    filter: { sequenceNumbers: numbers },
    dryRun: false,
    reason,
    decisionId: decisionIdOf({}),
  };
  let cursor: string | undefined;
  do {
    const path = lettersPath(tenant, queue, how);
    const answer = await request(session, path, { ...body, cursor });
    addTo(total, { ...answer, total: total.total });
    if (answer.stopped !== undefined) throw stopped(session, total, answer.stopped);
    cursor = answer.done ? undefined : answer.next;
    if (answer.done) total.left = (total.left ?? 0) + (answer.left ?? 0);
  } while (cursor !== undefined);
}
