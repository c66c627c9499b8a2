// What the providers wrote down while cases ran: who waits for a case's last answer is told, and at the end each effect of
// each case must have been applied exactly once.
import { setTimeout as delay } from "node:timers/promises";
import { providersClient, type Entry } from "../../local/providers/faults.ts";
import { actionsOfCase, type BenchCase } from "./case.ts";

const waitMs = 1000;
/** Between two looks, so that looking is no load: it also is how late an end may be seen, never how late it is counted. */
const restMs = 4;

export interface ProviderJournal {
  /** When the provider had answered this owner's email, by the machine's wall clock. */
  answeredAtMs(owner: string): Promise<number>;
  applied(): ReadonlyMap<string, number>;
  stop(): Promise<void>;
}

export const appliedKey = (action: string, target: string): string => `${action} ${target}`;

export async function followJournal(providersUrl: string): Promise<ProviderJournal> {
  const client = providersClient(providersUrl);
  const waiting = new Map<string, (atMs: number) => void>();
  const answered = new Map<string, number>();
  const applied = new Map<string, number>();
  const stopping = new AbortController();
  let after = (await client.journal()).at(-1)?.n ?? 0;

  function note({ action, atMs, event, target }: Entry): void {
    if (event === "applied") {
      const key = appliedKey(action, target);
      applied.set(key, (applied.get(key) ?? 0) + 1);
    }
    if (event !== "answered" || action !== "email.send_notification.v1") return;
    answered.set(target, atMs);
    waiting.get(target)?.(atMs);
    waiting.delete(target);
  }

  async function follow(): Promise<void> {
    while (!stopping.signal.aborted) {
      const entries = await client.journal(after, waitMs);
      after = entries.at(-1)?.n ?? after;
      entries.forEach(note);
      await delay(restMs);
    }
  }

  const following = follow();
  following.catch(() => undefined);
  return {
    answeredAtMs(owner) {
      const known = answered.get(owner);
      if (known !== undefined) return Promise.resolve(known);
      const heard = new Promise<number>((resolve) => waiting.set(owner, resolve));
      return Promise.race([heard, following.then(() => heard)]);
    },
    applied: () => applied,
    async stop() {
      stopping.abort();
      await following;
    },
  };
}

/** Each in words; empty: every effect of every case was applied once. */
export function notOnce(
  cases: readonly BenchCase[],
  applied: ReadonlyMap<string, number>,
): string[] {
  return cases.flatMap(({ invoice, owner }) =>
    actionsOfCase.flatMap((action) => {
      const target = action === "email.send_notification.v1" ? owner : invoice;
      const count = applied.get(appliedKey(action, target)) ?? 0;
      return count === 1 ? [] : [`${invoice}: ${action} was applied ${count} times`];
    }),
  );
}
