// The cases in memory: the port of Cosmos DB, for flow tests and for the simulation; one contract suite holds both.
//
//   hooks.before   may throw (nothing happens), or twist a write: lost, unanswered (it lands), late
//   hooks.after    may throw (it has happened), or lose the answer of a write
//   landLate()     lets every late write land now, in the order in which they were sent
//   reader()       a worker whose reads lag behind by so many transactions of the partition
//
// Hooks may be asynchronous: a simulation holds a worker there and lets another go on.
import type { z } from "zod";
import type { CaseKey } from "../../shared/domain/identity.ts";
import { Approval } from "../../shared/domain/records/approval.ts";
import { Checkpoint } from "../../shared/domain/records/checkpoint.ts";
import { Event } from "../../shared/domain/records/inbox.ts";
import { Payload } from "../../shared/domain/records/payload.ts";
import { TransientFault } from "../../shared/domain/faults.ts";
import { assertFits } from "../../shared/stores/batch-limits.ts";
import { answeredBefore } from "../../shared/stores/cosmos/answer-approval.ts";
import { assembleCase, compareText, decode } from "../../shared/stores/case-documents.ts";
import type {
  Batch,
  CaseStore,
  Created,
  Passing,
  Unresolved,
  WriteOutcome,
} from "../../shared/stores/ports.ts";
import { memoryPartitions, type Operation, type Partitions, type Stored } from "./partitions.ts";

export interface StoreCall {
  operation: keyof CaseStore;
  key?: CaseKey;
  /** A batch's own name, or the document's id. */
  id?: string;
}

/** A write that never lands, one that lands unanswered, one that lands when `landLate` is called. */
export type Twist = "lost" | "unanswered" | "late";

type Answer<Value> = Value | undefined | Promise<Value | undefined>;

export interface StoreHooks {
  before?: (call: StoreCall) => Answer<Twist>;
  after?: (call: StoreCall) => Answer<"unanswered">;
  /** A batch stands from now on, answered or not. */
  landed?: (batch: Batch, caseEtag: string) => void;
}

export interface MemoryCases extends CaseStore {
  hooks: StoreHooks;
  reader(options: { lagVersions: number }): CaseStore;
  /** How many landed, of those that were late. */
  landLate(): number;
  /** For the other stores of the same container. */
  partitions: Partitions;
  changesSince: Partitions["changesSince"];
  /** All documents of one case as they are stored now. */
  stored(key: CaseKey): Stored[];
  /** Puts a document there as some other version of the app might have. */
  plant(key: CaseKey, document: { id: string }): void;
}

interface World {
  nowMs: () => number;
  partitions: Partitions;
  hooks(): StoreHooks;
  late: (() => { kind: string })[];
}

export function memoryCases(options: { nowMs: () => number; hooks?: StoreHooks }): MemoryCases {
  const partitions = memoryPartitions(options.nowMs);
  const late: World["late"] = [];
  const store: MemoryCases = {
    ...caseStore({ nowMs: options.nowMs, partitions, late, hooks: () => store.hooks }, 0),
    hooks: options.hooks ?? {},
    partitions,
    reader: ({ lagVersions }) =>
      caseStore({ nowMs: options.nowMs, partitions, late, hooks: () => store.hooks }, lagVersions),
    landLate: () =>
      late.splice(0).filter((land) => ["committed", "created"].includes(land().kind)).length,
    changesSince: (position) => partitions.changesSince(position),
    stored: (key) => partitions.documents(key, 0),
    plant(key, document) {
      const known = partitions.documents(key, 0).some(({ id }) => id === document.id);
      partitions.transact(key, [{ kind: known ? "replace" : "create", document }]);
    },
  };
  return store;
}

function caseStore(world: World, lagVersions: number): CaseStore {
  const { partitions } = world;
  const storeMs = () => Math.floor(world.nowMs() / 1000) * 1000;
  const documents = (key: CaseKey) => partitions.documents(key, lagVersions);
  /** A simulation reads the same version again and again; what a read of a case shows has no time to live. */
  const known = new WeakMap<object, ReturnType<typeof assembleCase>>();

  function assembled(key: CaseKey): ReturnType<typeof assembleCase> {
    const version = partitions.version(key, lagVersions);
    const found = known.get(version) ?? assembleCase(key, documents(key).filter(isOpen));
    known.set(version, found);
    return found;
  }

  async function reading<Value>(call: StoreCall, read: () => Value): Promise<Value> {
    await world.hooks().before?.(call);
    const value = read();
    await world.hooks().after?.(call);
    return value;
  }

  async function create(operation: keyof CaseStore, document: Stamped): Promise<Created> {
    const call = { operation, key: keyOf(document), id: document.id };
    const land = () => created(partitions, document);
    const answer = await writing(world, call, land);
    return answer?.kind ?? "uncertain";
  }

  return {
    read: (key) =>
      reading({ operation: "read", key }, () => {
        const { snapshot, caseEtag } = assembled(key);
        return { snapshot, caseEtag, storeMs: storeMs() };
      }),
    head: (key) => reading({ operation: "head", key }, () => headOf(documents(key), storeMs())),
    async write(batch) {
      assertFits(batch);
      const call = { operation: "write", key: batch.key, id: batch.log.id } as const;
      const outcome = await writing(world, call, () => {
        const outcome = transact(partitions, batch, storeMs());
        if (outcome.kind === "committed") world.hooks().landed?.(batch, outcome.caseEtag);
        return outcome;
      });
      return outcome ?? { kind: "uncertain", cause: new Error("no answer") };
    },
    createFinding: (finding) => create("createFinding", finding),
    createEvent: (event) => create("createEvent", event),
    createRefusal: (refusal) => create("createRefusal", refusal),
    createCheckpoint: (checkpoint) => create("createCheckpoint", checkpoint),
    readCheckpoint: (key, id) =>
      reading({ operation: "readCheckpoint", key, id }, () =>
        readOne(Checkpoint, documents(key), id),
      ),
    answerApproval: (key, { id, answer }) =>
      reading({ operation: "answerApproval", key, id }, () => {
        const stored = partitions.documents(key, 0).find((one) => one.id === id);
        const approval = stored && decode(Approval, stored);
        if (approval === undefined) return { kind: "missing" } as const;
        if (approval.answer !== undefined) return answeredBefore(approval, answer);
        const answered: Approval = { ...approval, answer };
        partitions.transact(key, [{ kind: "replace", document: answered }]);
        return { kind: "answered" } as const;
      }),
    readPayload: (key, id) =>
      reading({ operation: "readPayload", key, id }, () => readOne(Payload, documents(key), id)),
    passing: (key) =>
      reading({ operation: "passing", key }, () => documents(key).flatMap(passingOf)),
    readEvent: (key, id) =>
      reading({ operation: "readEvent", key, id }, () => readOne(Event, documents(key), id)),
    unresolved: ({ max }) =>
      reading({ operation: "unresolved" }, () =>
        partitions
          .keys()
          .flatMap((key) => documents(key).flatMap((document) => unresolvedOf(key, document)))
          .slice(0, max),
      ),
    due: ({ from, max, nowMs }) =>
      reading({ operation: "due" }, () =>
        partitions
          .keys()
          .flatMap((key) =>
            partitions
              .documents(key, lagVersions, '"dueAtMs"')
              .map((document) => ({ key, document })),
          )
          .flatMap(({ key, document }) => dueOf(key, document, nowMs))
          .toSorted((a, b) => (from === "oldest" ? a.dueAtMs - b.dueAtMs : b.dueAtMs - a.dueAtMs))
          .slice(0, max),
      ),
    heldForGrant: ({ tenantId, action }) =>
      reading({ operation: "heldForGrant" }, () =>
        partitions
          .keys()
          .filter((key) => key.tenantId === tenantId)
          .filter((key) =>
            documents(key).some(
              (one) => one["action"] === action && one["grantHold"] !== undefined,
            ),
          ),
      ),
    history: (key) =>
      reading({ operation: "history", key }, () => {
        const all = documents(key).filter(
          ({ type }) =>
            !["refusal", "checkpoint", "report", "payload", "operatorRecord"].includes(
              String(type),
            ),
        );
        if (all.length === 0) return undefined;
        const { snapshot, log } = assembleCase(key, all);
        return { snapshot, log, storeMs: storeMs() };
      }),
  };
}

function passingOf({ id, type }: Stored): Passing[] {
  switch (type) {
    case "payload":
    case "checkpoint":
    case "refusal":
    case "deadLetter":
      return [{ id, type }];
    default:
      return [];
  }
}

type Stamped = CaseKey & { id: string };

function keyOf({ tenantId, caseId }: CaseKey): CaseKey {
  return { tenantId, caseId };
}

/** Undefined: no answer. */
async function writing<Value extends { kind: string }>(
  world: World,
  call: StoreCall,
  land: () => Value,
): Promise<Value | undefined> {
  const twist = await world.hooks().before?.(call);
  if (twist === "lost") return undefined;
  if (twist === "late") {
    world.late.push(land);
    return undefined;
  }
  const value = land();
  const lost = await world.hooks().after?.(call);
  return twist === undefined && lost === undefined ? value : undefined;
}

function created(partitions: Partitions, document: Stamped): { kind: "created" | "exists" } {
  const landed = partitions.transact(keyOf(document), [{ kind: "create", document }]);
  return { kind: landed.kind === "committed" ? "created" : "exists" };
}

function transact(partitions: Partitions, batch: Batch, storeMs: number): WriteOutcome {
  const { amends, caseDocument, caseEtag, creates, log, replaces } = batch;
  const stored = [...partitions.documents(batch.key, 0), ...creates];
  const amended = amends.flatMap(({ id, set }) => {
    const document = stored.find((one) => one.id === id);
    return document === undefined ? [] : [{ ...document, ...set }];
  });
  const create = (document: { id: string }): Operation => ({ kind: "create", document });
  const operations: Operation[] = [
    create(log),
    caseEtag === undefined
      ? create(caseDocument)
      : { kind: "replace", document: caseDocument, ifMatch: caseEtag },
    ...creates.map(create),
    ...[...replaces, ...amended].map((document): Operation => ({ kind: "replace", document })),
  ];
  const landed = partitions.transact(batch.key, operations);
  if (landed.kind === "committed") {
    const [, etag] = landed.etags;
    return { kind: "committed", caseEtag: etag ?? "", storeMs };
  }
  if (landed.index === 0) return { kind: "alreadyWritten" };
  if (landed.index === 1) return { kind: "superseded" };
  const { document } = operations[landed.index] ?? {};
  throw new Error(`the case is as it was read, and yet ${document?.id} answers ${landed.status}`);
}

/** What the read of a case shows: not what was folded or resolved, and no history. */
function isOpen(document: Stored): boolean {
  switch (document["type"]) {
    case "case":
    case "effect":
    case "approval":
      return true;
    case "event":
    case "finding":
      return document["folded"] === undefined;
    case "review":
      return document["resolution"] === undefined;
    default:
      return false;
  }
}

function headOf(documents: readonly Stored[], storeMs: number) {
  const found = documents.find(({ type }) => type === "case");
  const lastWriteId = found?.["lastWriteId"];
  return {
    caseEtag: found?._etag,
    lastWriteId: typeof lastWriteId === "string" ? lastWriteId : undefined,
    unfolded: documents
      .filter((document) => document["type"] === "event" || document["type"] === "finding")
      .filter(isOpen)
      .map(({ id }) => id)
      .toSorted(compareText),
    storeMs,
  };
}

function readOne<Document extends object>(
  schema: z.ZodType<Document>,
  documents: readonly Stored[],
  id: string,
): Document | undefined {
  const document = documents.find((candidate) => candidate.id === id);
  if (document === undefined) return undefined;
  const decoded = decode(schema, document);
  if (decoded === undefined) throw new TransientFault("Newer code wrote this document.");
  return decoded;
}

function unresolvedOf(key: CaseKey, document: Stored): Unresolved[] {
  const { abandonedBy, openedAtMs, resolution, status, type, unknownSinceMs } = document;
  const common = { ...key, abandoned: abandonedBy !== undefined };
  if (type === "effect" && status === "unknown") {
    return [{ ...common, kind: "unknown", sinceMs: Number(unknownSinceMs) }];
  }
  if (type !== "review" || resolution !== undefined) return [];
  return [{ ...common, kind: "review", sinceMs: Number(openedAtMs) }];
}

function dueOf(key: CaseKey, document: Stored, nowMs: number) {
  const { dueAtMs, id } = document;
  if (dueAtMs === undefined || dueAtMs > nowMs) return [];
  return [{ ...key, documentId: id, dueAtMs, hasClaim: document["claim"] !== undefined }];
}
