// The providers' own record of what reached them and what they did: `journal.jsonl`.
//
// One JSON object a line, appended and forced to disk before anyone can act on it, so that a
// `kill -9` loses nothing that was answered. A crash can tear the last line only; it is cut off at
// the next start. Every count of the demo and of the tests is made from these lines, never from
// what the app says of itself.
//
//   received -> (faultFired) -> applied? -> answered?      all of one request share a `requestId`
//
// Appends that meet while a sync is under way share the next one (group commit).
import { mkdir, open, readFile, truncate } from "node:fs/promises";
import { dirname } from "node:path";

export type Action =
  | "portal.request_credit_note.v1"
  | "portal.mark_invoice.v1"
  | "email.send_notification.v1"
  | "crm.close_case.v1"
  | "tasks.create_welcome_task.v1";

export type ProviderName = "supplier-portal" | "email" | "crm" | "task-board";

export interface Draft {
  provider: ProviderName;
  /** `foreign`: what somebody else made at the provider, for us to stumble over. */
  event: "received" | "applied" | "answered" | "faultFired" | "foreign";
  requestId: string;
  account: string;
  action: Action;
  /** The invoice, or the recipient. */
  target: string;
  /** The operation id that the caller sent along; empty when it sent none. */
  operation: string;
  key?: string;
  /** Of the path and the exact body bytes; on `applied` only. */
  digest?: string;
  body?: unknown;
  /** What is said again when the same key asks again; on `applied` only. */
  answer?: { status: number; body: unknown; resultId: string };
  resultId?: string;
  status?: number;
  fault?: string;
  /** How long the provider's search does not show it. */
  searchLagMs?: number;
}

export interface Entry extends Draft {
  n: number;
  atMs: number;
}

export interface Journal {
  /** Resolves when the entry is on disk. */
  append(draft: Draft): Promise<Entry>;
  /** Entries with a number above `n`; waits up to `waitMs` for the first one. */
  after(n: number, waitMs?: number): Promise<Entry[]>;
  close(): Promise<void>;
}

/** The whole lines of a journal file, and how many bytes they take. */
export function readLines(text: string): { entries: Entry[]; wholeBytes: number } {
  const whole = text.slice(0, text.lastIndexOf("\n") + 1);
  const entries = whole
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Entry);
  return { entries, wholeBytes: Buffer.byteLength(whole) };
}

async function readIfThere(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  }
}

interface Pending {
  entry: Entry;
  resolve: (entry: Entry) => void;
  reject: (error: unknown) => void;
}

export async function openJournal(path: string): Promise<Journal> {
  await mkdir(dirname(path), { recursive: true });
  const text = await readIfThere(path);
  const { entries, wholeBytes } = readLines(text);
  if (wholeBytes < Buffer.byteLength(text)) await truncate(path, wholeBytes);
  const file = await open(path, "a");

  let lastNumber = entries.at(-1)?.n ?? 0;
  let queue: Pending[] = [];
  let flushing: Promise<void> | undefined;
  const appended = bell();

  async function flush(): Promise<void> {
    while (queue.length > 0) {
      const batch = queue;
      queue = [];
      try {
        await file.appendFile(batch.map(({ entry }) => `${JSON.stringify(entry)}\n`).join(""));
        await file.datasync();
      } catch (error) {
        for (const { reject } of batch) reject(error);
        continue;
      }
      for (const { entry, resolve } of batch) {
        entries.push(entry);
        resolve(entry);
      }
      appended.ring();
    }
    flushing = undefined;
  }

  return {
    append(draft) {
      lastNumber += 1;
      const entry: Entry = { n: lastNumber, atMs: Date.now(), ...draft };
      return new Promise((resolve, reject) => {
        queue.push({ entry, resolve, reject });
        flushing ??= flush();
      });
    },

    async after(n, waitMs = 0) {
      const durable = entries.at(-1)?.n ?? 0;
      if (durable <= n && waitMs > 0) await appended.wait(waitMs);
      return entries.slice(entries.findLastIndex((entry) => entry.n <= n) + 1);
    },

    async close() {
      appended.ring();
      await flushing;
      await file.close();
    },
  };
}

/** Wakes everyone who waits, or each when its own time is up. */
function bell(): { ring(): void; wait(ms: number): Promise<void> } {
  const waiters = new Set<() => void>();
  return {
    ring() {
      for (const wake of waiters) wake();
    },
    wait(ms) {
      return new Promise((resolve) => {
        const wake = (): void => {
          clearTimeout(timer);
          waiters.delete(wake);
          resolve();
        };
        const timer = setTimeout(wake, ms);
        waiters.add(wake);
      });
    },
  };
}
