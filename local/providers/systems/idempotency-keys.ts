// The supplier portal's idempotency keys: the one promise that lets a caller ask twice.
//
//   (none) -> executing -> stored -> pruned after the retention, as if it had never been
//                 \-> (none), when the execution ended without success: errors are not stored
//
// A key belongs to one account and to one request: its path and the exact bytes of its body. It is
// all that the portal dedupes by. Two keys for one invoice are two credit notes, as with a real
// portal, so a caller that invents a key per attempt is seen to apply twice.
// Stored keys live in the journal and are read back from it; executing ones die with the process.
import { createHash } from "node:crypto";

export interface Answer {
  status: number;
  body: unknown;
  resultId: string;
}

export type Admission =
  | { kind: "execute" }
  | { kind: "replay"; answer: Answer }
  | { kind: "reused" }
  | { kind: "inProgress" };

type KeyState =
  | { kind: "executing" }
  | { kind: "stored"; digest: string; answer: Answer; storedAtMs: number };

export interface IdempotencyKeys {
  begin(account: string, key: string, digest: string, nowMs: number): Admission;
  store(account: string, key: string, digest: string, answer: Answer, atMs: number): void;
  /** The execution ended without success: the key is free again. */
  abandon(account: string, key: string): void;
}

export function requestDigest(path: string, body: Buffer): string {
  return createHash("sha256").update(`${path}\n`).update(body).digest("hex");
}

export function idempotencyKeys(retentionMs: number): IdempotencyKeys {
  const states = new Map<string, KeyState>();
  const slot = (account: string, key: string): string => JSON.stringify([account, key]);

  return {
    begin(account, key, digest, nowMs) {
      const state = states.get(slot(account, key));
      if (state?.kind === "executing") return { kind: "inProgress" };
      if (state !== undefined && nowMs < state.storedAtMs + retentionMs) {
        return state.digest === digest
          ? { kind: "replay", answer: state.answer }
          : { kind: "reused" };
      }
      states.set(slot(account, key), { kind: "executing" });
      return { kind: "execute" };
    },

    store(account, key, digest, answer, atMs) {
      states.set(slot(account, key), { kind: "stored", digest, answer, storedAtMs: atMs });
    },

    abandon(account, key) {
      states.delete(slot(account, key));
    },
  };
}
