// Looks through a queue's dead letters without a lock, from the front on, page by page, for a bounded time.
import type { DeadLetter, DeadLetterStore } from "../../../stores/dead-letter-port.ts";
import { compareSequence } from "../../../stores/dead-letter-port.ts";
import type { QueueName } from "../../../stores/ports.ts";
import { isWanted, type LetterFilter } from "./letter.ts";

export interface Scan {
  queue: QueueName;
  tenant: string;
  filter: LetterFilter;
  /** Only what comes after it. */
  after?: string | undefined;
  /** Nothing that comes after it. */
  through?: string | undefined;
}

export interface Scanned {
  /** The last one that was looked at, wanted or not. */
  lastSequence: string | undefined;
  /** False: time or bound was up, and there is more behind it. */
  isWhole: boolean;
}

const pageMax = 250;
const scannedMax = 20_000;
const scanBudgetMs = 10_000;

/** `take` answers whether it wants more. */
export async function scanLetters(
  ports: { deadLetters: DeadLetterStore; nowMs(): number },
  scan: Scan,
  take: (letter: DeadLetter) => boolean,
): Promise<Scanned> {
  const { after, filter, queue, through } = scan;
  const endMs = ports.nowMs() + scanBudgetMs;
  const wanted = boundsOf(filter, { after, through });
  let { from } = wanted;
  let lastSequence = after;
  for (let scanned = 0; scanned < scannedMax && ports.nowMs() < endMs;) {
    const page = await ports.deadLetters.peek(queue, { from, max: pageMax });
    if (page.length === 0) return { lastSequence, isWhole: true };
    scanned += page.length;
    for (const letter of page) {
      if (isBeyond(letter.sequenceNumber, wanted.through)) return { lastSequence, isWhole: true };
      lastSequence = letter.sequenceNumber;
      if (isWanted(letter, scan) && !take(letter)) return { lastSequence, isWhole: false };
    }
    from = next(lastSequence ?? from);
  }
  return { lastSequence, isWhole: false };
}

export function isBeyond(sequence: string, through: string | undefined): boolean {
  return through !== undefined && compareSequence(sequence, through) > 0;
}

function next(sequence: string): string {
  return String(BigInt(sequence) + 1n);
}

/** Those that are named by number need no look at what lies before and behind them. */
function boundsOf(
  { sequenceNumbers }: LetterFilter,
  { after, through }: Pick<Scan, "after" | "through">,
): { from: string; through: string | undefined } {
  const begin = after === undefined ? "0" : next(after);
  const sorted = sequenceNumbers?.toSorted(compareSequence);
  const [first] = sorted ?? [];
  const last = sorted?.at(-1);
  const from = first !== undefined && compareSequence(first, begin) > 0 ? first : begin;
  const end =
    last !== undefined && (through === undefined || isBeyond(through, last)) ? last : through;
  return { from, through: end };
}
