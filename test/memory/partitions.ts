// A store in memory with the three things that the protocol rests on: true transactions, ETags, and the
// store's own clock in whole seconds.
//
// Every document goes through JSON, as on the wire. Every version of a partition is kept, so that a reader can be shown the
// past; every change is numbered, so that a feed can be read.
import type { CaseKey } from "../../shared/domain/identity.ts";
import { caseKeyText } from "../../shared/domain/identity.ts";

export interface Operation {
  kind: "create" | "replace";
  document: { id: string };
  ifMatch?: string;
}

export type Transacted =
  | { kind: "committed"; etags: readonly string[] }
  | { kind: "refused"; index: number; status: 404 | 409 | 412 };

export interface Stored {
  id: string;
  dueAtMs?: number;
  _etag: string;
  _ts: number;
  [field: string]: unknown;
}

export interface Partitions {
  transact(key: CaseKey, operations: readonly Operation[]): Transacted;
  /** As they were `lagVersions` transactions ago; `holding` leaves out those whose text does not have it. */
  documents(key: CaseKey, lagVersions: number, holding?: string): Stored[];
  /** The same object as long as nothing is written; always another one of what is empty. */
  version(key: CaseKey, lagVersions: number): object;
  keys(): CaseKey[];
  /** The latest version of each document changed after `position`, oldest change first. */
  changesSince(position: number): { documents: Stored[]; position: number };
}

/** One document as it is on the wire, and as it reads: parsed once, and frozen, because readers share it. */
interface Kept {
  text: string;
  document: Stored;
}

/** By id: never changed once it is a version. */
type Version = ReadonlyMap<string, Kept>;

export function memoryPartitions(nowMs: () => number): Partitions {
  const versions = new Map<string, { key: CaseKey; past: Version[] }>();
  const changedAt = new Map<string, { position: number; key: CaseKey; id: string }>();
  let etagCount = 0;
  let position = 0;

  /** A document with a time to live is invisible from the second at which it ends. */
  const isAlive = ({ _ts, ttl }: Stored) =>
    typeof ttl !== "number" || _ts + ttl > Math.floor(nowMs() / 1000);
  const pastOf = (key: CaseKey) => versions.get(caseKeyText(key))?.past ?? [];
  const versionOf = (key: CaseKey, lagVersions: number): Version =>
    pastOf(key).at(-1 - lagVersions) ?? new Map();

  function documents(key: CaseKey, lagVersions: number, holding = ""): Stored[] {
    const kept = [...versionOf(key, lagVersions).values()];
    return kept.flatMap(({ document, text }) =>
      text.includes(holding) && isAlive(document) ? [document] : [],
    );
  }

  return {
    transact(key, operations) {
      const draft = new Map(versionOf(key, 0));
      const etags: string[] = [];
      for (const [index, { document, ifMatch, kind }] of operations.entries()) {
        const known = draft.get(document.id);
        const isThere = known !== undefined && isAlive(known.document);
        const status = refusal(isThere ? known : undefined, kind, ifMatch);
        if (status !== undefined) return { kind: "refused", index, status };
        etagCount += 1;
        const etag = `"${etagCount}"`;
        const stored = { ...document, _etag: etag, _ts: Math.floor(nowMs() / 1000) };
        draft.set(document.id, kept(stored));
        etags.push(etag);
      }
      versions.set(caseKeyText(key), { key, past: [...pastOf(key), draft] });
      position += 1;
      for (const { document } of operations) {
        changedAt.set(`${caseKeyText(key)}/${document.id}`, { position, key, id: document.id });
      }
      return { kind: "committed", etags };
    },
    documents,
    version: versionOf,
    keys: () => [...versions.values()].map(({ key }) => key),
    changesSince(since) {
      const changed = [...changedAt.values()]
        .filter((change) => change.position > since)
        .toSorted((a, b) => a.position - b.position);
      return {
        documents: changed
          .flatMap(({ key, id }) => versionOf(key, 0).get(id)?.document ?? [])
          .filter(isAlive),
        position,
      };
    },
  };
}

function refusal(
  known: Kept | undefined,
  kind: Operation["kind"],
  ifMatch: string | undefined,
): 404 | 409 | 412 | undefined {
  if (kind === "create") return known === undefined ? undefined : 409;
  if (known === undefined) return 404;
  return ifMatch === undefined || ifMatch === known.document._etag ? undefined : 412;
}

function kept(stored: Stored): Kept {
  const text = JSON.stringify(stored);
  const document: Stored = JSON.parse(text);
  return { text, document: frozen(document) };
}

function frozen<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null) return value;
  for (const member of Object.values(value)) frozen(member);
  return Object.freeze(value);
}
