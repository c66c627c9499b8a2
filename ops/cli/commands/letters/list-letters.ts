// The dead letters of one queue or of both: by cause, one by one, or with what a resubmit would do.
import { z } from "zod";
import { list, moreHint, read, type ListOptions, type Session } from "../../session.ts";
import { table, time } from "../../show.ts";
import { Cause, Letter, lettersPath, queuesOf, type Queue } from "./letter.ts";

export interface LookOptions extends ListOptions {
  queue?: Queue;
  cause?: string;
  each?: boolean;
}

const none = "No dead letter lies here.";

export async function listLetters(session: Session, options: LookOptions): Promise<void> {
  if (options.each === true) return showEach(session, options, { isPreview: false });
  const tenant = await session.tenant();
  const answers: Record<string, { causes: Cause[]; count: number }> = {};
  for (const queue of queuesOf(options)) answers[queue] = await causesOf(session, tenant, queue);
  const rows = Object.entries(answers).flatMap(([queue, { causes }]) =>
    causes.map((cause) => [
      queue,
      String(cause.count),
      cause.reason,
      cause.description,
      time(cause.firstSeenMs),
      time(cause.lastSeenMs),
      String(cause.resubmitCountMax),
      cause.cause,
    ]),
  );
  const head = ["queue", "letters", "reason", "what was said", "first", "last", "resubmits"];
  session.show(answers, () => table([...head, "cause"], rows, none));
}

const Grouped = z.looseObject({
  causes: z.array(Cause),
  count: z.int(),
  next: z.string().optional(),
});

/** A look sees some thousands; what the next ones tell is added up. */
async function causesOf({ api }: Session, tenant: string, queue: Queue) {
  const causes = new Map<string, Cause>();
  let count = 0;
  let cursor: string | undefined;
  do {
    const page = read(Grouped, await api.get(lettersPath(tenant, queue, "causes"), { cursor }));
    for (const cause of page.causes) {
      const known = causes.get(cause.cause);
      causes.set(cause.cause, known === undefined ? cause : added(known, cause));
    }
    count += page.count;
    cursor = page.next;
  } while (cursor !== undefined);
  return { causes: [...causes.values()].toSorted((a, b) => b.count - a.count), count };
}

function added(known: Cause, more: Cause): Cause {
  return {
    ...known,
    count: known.count + more.count,
    lastSeenMs: more.lastSeenMs ?? known.lastSeenMs,
    resubmitCountMax: Math.max(known.resubmitCountMax, more.resubmitCountMax),
  };
}

export async function previewLetters(session: Session, options: LookOptions): Promise<void> {
  return showEach(session, options, { isPreview: true });
}

async function showEach(
  session: Session,
  options: LookOptions,
  { isPreview }: { isPreview: boolean },
): Promise<void> {
  const tenant = await session.tenant();
  const answers: Record<string, unknown> = {};
  const rows: string[][] = [];
  let more: string | undefined;
  for (const queue of queuesOf(options)) {
    const found = await list(session.api, {
      path: lettersPath(tenant, queue, ...(isPreview ? ["preview"] : [])),
      query: { cause: options.cause },
      name: "deadLetters",
      row: Letter,
      max: options.max,
      // A cursor is one queue's.
      cursor: options.queue === undefined ? undefined : options.cursor,
    });
    answers[queue] = found.answer;
    rows.push(...found.rows.map((letter) => row(queue, letter, isPreview)));
    more ??= found.next;
  }
  const head = ["queue", "number", "case", "last seen", "deliveries", "resubmits"];
  const last = isPreview ? "a resubmit, by the ledger" : "reason";
  session.show(answers, () => table([...head, last], rows, none));
  if (more !== undefined && options.queue === undefined && !session.isJson) {
    session.terminal.err("There are more: add --max, or look at one queue with --queue.");
    return;
  }
  moreHint(session, more);
}

function row(queue: Queue, letter: Letter, isPreview: boolean): string[] {
  const { caseId = "none", deliveryCount, lastSeenMs, preview, resubmitCount } = letter;
  return [
    queue,
    letter.sequenceNumber,
    caseId,
    time(lastSeenMs),
    String(deliveryCount),
    String(resubmitCount),
    isPreview ? `${preview?.verdict ?? ""}: ${preview?.says ?? ""}` : letter.reason,
  ];
}
