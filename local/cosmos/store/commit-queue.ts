// Group commit: what arrives in one turn of the event loop shares one transaction and one fsync.
//
// Each job runs under a savepoint of its own, so a refused request leaves nothing behind and does
// not touch its neighbours. Nobody is answered before COMMIT returned: a reply means durable. Should
// COMMIT itself fail, every job of the group fails, and what was kept in memory is read again.
import type { Sqlite } from "./sqlite.ts";

export interface Job<Result> {
  isWrite: boolean;
  run(): Result;
}

export interface CommitQueue {
  submit<Result>(job: Job<Result>): Promise<Result>;
  /** Runs what is waiting, now. */
  flush(): void;
}

type Outcome = { value: unknown } | { error: unknown };

interface Waiting {
  isWrite: boolean;
  run(): unknown;
  settle(outcome: Outcome): void;
}

function outcomeOf(job: Waiting): Outcome {
  try {
    return { value: job.run() };
  } catch (error) {
    return { error };
  }
}

export function openCommitQueue(
  sqlite: Sqlite,
  hooks: { beforeCommit(): void; afterFailure(): void },
): CommitQueue {
  let waiting: Waiting[] = [];

  const runOne = (job: Waiting): Outcome => {
    if (!job.isWrite) return outcomeOf(job);
    sqlite.run("SAVEPOINT job");
    try {
      const value = job.run();
      sqlite.run("RELEASE job");
      return { value };
    } catch (error) {
      sqlite.run("ROLLBACK TO job");
      sqlite.run("RELEASE job");
      return { error };
    }
  };

  const flush = (): void => {
    const group = waiting;
    waiting = [];
    if (group.length === 0) return;
    // This process alone writes: where nobody does, each sees the same without a transaction.
    if (!group.some((job) => job.isWrite)) {
      for (const job of group) job.settle(outcomeOf(job));
      return;
    }
    const outcomes: Outcome[] = [];
    try {
      sqlite.run("BEGIN IMMEDIATE");
      for (const job of group) outcomes.push(runOne(job));
      hooks.beforeCommit();
      sqlite.run("COMMIT");
    } catch (error) {
      try {
        sqlite.exec("ROLLBACK");
      } catch {
        // No transaction is open: BEGIN or COMMIT itself failed and the error below says why.
      }
      hooks.afterFailure();
      for (const job of group) job.settle({ error });
      return;
    }
    group.forEach((job, at) => job.settle(outcomes[at] ?? { error: new Error("no outcome") }));
  };

  return {
    flush,
    submit: <Result>(job: Job<Result>) =>
      new Promise<Result>((resolve, reject) => {
        if (waiting.length === 0) setImmediate(flush);
        waiting.push({
          isWrite: job.isWrite,
          run: () => job.run(),
          settle: (outcome) => {
            if ("error" in outcome) reject(outcome.error);
            else resolve(outcome.value as Result);
          },
        });
      }),
  };
}
