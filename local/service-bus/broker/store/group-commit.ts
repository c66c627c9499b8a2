// Group commit: the writes of one turn of the event loop become one transaction, and whatever
// answers a client waits in `afterCommit` until the disk has it. Under load one fsync so serves
// hundreds of clients. Writes and callbacks keep their order.
//
// A store that cannot commit must not go on answering: the exception is not caught, and the
// process ends.

import type { DatabaseSync } from "node:sqlite";

export type GroupCommit = {
  write(run: () => unknown): void;
  /** Of the writes with one key only the last is done. */
  writeLatest(key: string, run: () => unknown): void;
  /** Calls back once everything written so far is on disk. */
  afterCommit(callback: () => void): void;
  /** Commits what is pending; nothing is written or called back from then on. */
  close(): void;
};

export function groupCommit(database: DatabaseSync): GroupCommit {
  let writes: (() => unknown)[] = [];
  const latest = new Map<string, () => unknown>();
  let callbacks: (() => void)[] = [];
  let scheduled = false;
  let closed = false;

  function commit(): void {
    scheduled = false;
    if (closed) return;
    const [runWrites, runCallbacks] = [[...writes, ...latest.values()], callbacks];
    [writes, callbacks] = [[], []];
    latest.clear();
    if (runWrites.length > 0) {
      database.exec("BEGIN");
      for (const write of runWrites) write();
      database.exec("COMMIT");
    }
    for (const callback of runCallbacks) callback();
  }
  function soon(): void {
    if (scheduled || closed) return;
    scheduled = true;
    setImmediate(commit);
  }

  return {
    write(run) {
      writes.push(run);
      soon();
    },
    writeLatest(key, run) {
      latest.set(key, run);
      soon();
    },
    afterCommit(callback) {
      callbacks.push(callback);
      soon();
    },
    close() {
      commit();
      closed = true;
    },
  };
}
