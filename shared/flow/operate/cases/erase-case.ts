// Erases the content of a closed case, in batches under its ETag; killed anywhere, the next call goes on where it stood.
//
// The first batch marks the case, so that nothing is decided on what is half gone: an emptied effect is no longer known for what it
// was. What is kept beside the case goes first, the case itself last: as long as it shows its facts, the erasing is not complete.
// Refused while anything can still happen: an effect that is prepared, started or unknown needs its payload, an event that
// nobody has folded needs its body, a finding may be the proof that something happened after all, and a delivery that nobody
// has reported may have failed.
import { silentAtMsOf } from "../../../domain/decisions/delivery.ts";
import { whyLeft } from "../../../domain/decisions/leave.ts";
import { type CaseKey, newWriteId } from "../../../domain/identity.ts";
import { schemaVersion } from "../../../domain/records/evidence.ts";
import { isFinal, type Effect } from "../../../domain/records/effect.ts";
import type { LogEntry } from "../../../domain/records/review.ts";
import { documentsOf, type Snapshot } from "../../../domain/records/snapshot.ts";
import { erased, erasedBeside, type Erasable } from "../../../domain/transitions/erase.ts";
import type { Book } from "../../../domain/definitions.ts";
import type { OperatorStore } from "../../../stores/operator-ports.ts";
import type { Amend, Batch, CaseStore } from "../../../stores/ports.ts";
import type { Principal } from "../access/principal.ts";

export type EraseResult =
  | { kind: "erased"; documents: number }
  | { kind: "missing" }
  | { kind: "refused"; why: string }
  /** Somebody wrote the case meanwhile, or the store did not answer: call again. */
  | { kind: "again" };

const batchMax = 80;

export async function eraseCase(
  ports: { cases: CaseStore; operators: OperatorStore; book: Book; nowMs(): number },
  request: { key: CaseKey; principal: Principal },
): Promise<EraseResult> {
  const { key, principal } = request;
  const { caseEtag } = await ports.cases.read(key);
  const history = await ports.cases.history(key);
  const left = history && whyLeft(history.snapshot, ports.book, undefined);
  if (left !== undefined) return { kind: "refused", why: left };
  if (history === undefined || caseEtag === undefined) return { kind: "missing" };
  const why = whyNot(history.snapshot, ports.book);
  if (why !== undefined) return { kind: "refused", why };
  const beside = await ports.cases.passing(key);
  const records = await ports.operators.recordsOf(key);
  // This very request's own record is finished after this; it holds nothing to erase.
  const finished = records.filter(
    ({ action, outcome }) => action !== "erase-case" || outcome.kind !== "asked",
  );
  const all: Erasable[] = [...documentsOf(history.snapshot), ...history.log, ...finished];
  const changed = all.map(erased).filter((document, index) => document !== all[index]);
  const others = changed.filter(({ type }) => type !== "case");
  const amends = beside.map(({ id, type }): Amend => ({ id, set: erasedBeside(type) }));
  const parts = partsOf(amends, others);
  let etag = caseEtag;
  for (const [index, part] of parts.entries()) {
    const isLast = index === parts.length - 1;
    const batch = batchOf(history.snapshot, {
      etag,
      ...part,
      by: principal.id,
      nowMs: ports.nowMs(),
      isLast,
    });
    const outcome = await ports.cases.write(batch);
    if (outcome.kind !== "committed") return { kind: "again" };
    etag = outcome.caseEtag;
  }
  return { kind: "erased", documents: amends.length + changed.length };
}

type Part = Pick<Batch, "amends"> & { replaces: Erasable[] };

/** In pieces that a batch takes; one piece at least, for the case itself. */
function partsOf(amends: Amend[], replaces: Erasable[]): Part[] {
  const parts: Part[] = [];
  for (let from = 0; from < amends.length; from += batchMax) {
    parts.push({ amends: amends.slice(from, from + batchMax), replaces: [] });
  }
  for (let from = 0; from < replaces.length || from === 0; from += batchMax) {
    parts.push({ amends: [], replaces: replaces.slice(from, from + batchMax) });
  }
  return parts;
}

function whyNot(snapshot: Snapshot, book: Book): string | undefined {
  const record = snapshot.case;
  if (record === undefined) return "nothing of it has been folded yet";
  const workflow = book.workflow(record.workflow.type);
  if (workflow?.statuses[record.status]?.final !== true) return "the case is not closed";
  if (snapshot.events.some(({ folded }) => folded === undefined))
    return "an event is not folded yet";
  if (snapshot.findings.some(({ folded }) => folded === undefined))
    return "a finding is not folded yet";
  // What a person gave up needs its payload no more.
  const open = snapshot.effects.find((effect) => !isFinal(effect));
  if (open !== undefined) return `${open.action} is ${open.status}`;
  // Erased, nobody could tell any more whom it did not reach.
  const [silentAtMs, unreported] = lastUnreported(snapshot, book) ?? [];
  if (silentAtMs === undefined || unreported === undefined) return undefined;
  return `the delivery of ${unreported.action} is not reported yet; by ${new Date(silentAtMs).toISOString()} it is, or a review says that it is not`;
}

function lastUnreported({ effects }: Snapshot, book: Book): [number, Effect] | undefined {
  return effects
    .flatMap((effect): [number, Effect][] => {
      const silentAtMs = silentAtMsOf(effect, book);
      return silentAtMs === undefined ? [] : [[silentAtMs, effect]];
    })
    .toSorted(([one], [other]) => other - one)[0];
}

function batchOf(
  snapshot: Snapshot,
  part: Part & { etag: string; by: string; nowMs: number; isLast: boolean },
): Batch {
  const record = snapshot.case;
  if (record === undefined) throw new Error("no case");
  const writeId = newWriteId();
  const { tenantId, caseId } = snapshot;
  const marked = { ...record, erased: { by: part.by, atMs: part.nowMs }, dueAtMs: undefined };
  const caseDocument = part.isLast ? (erased(marked) as typeof marked) : marked;
  const log: LogEntry = {
    id: `log:${writeId}`,
    type: "log",
    schemaVersion,
    tenantId,
    caseId,
    atMs: part.nowMs,
    by: part.by,
    fence: record.fence,
    version: record.version,
    status: record.status,
    did: ["content erased"],
  };
  return {
    key: { tenantId, caseId },
    caseEtag: part.etag,
    caseDocument: { ...caseDocument, lastWriteId: writeId },
    creates: [],
    replaces: part.replaces,
    amends: part.amends,
    log,
  };
}
