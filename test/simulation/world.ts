// A whole deployment in one process on one virtual clock: stores, broker, workers, sweeper, reader of the feed, systems.
//
// Everything that a worker awaits goes through its `at`; there it may be held, killed or given another answer. A killed
// worker never resumes: like a process under SIGKILL it runs no `catch` and no `finally`.
import type { Facts } from "../../shared/domain/definitions.ts";
import { TransientFault } from "../../shared/domain/faults.ts";
import { caseIdOf, type CaseKey } from "../../shared/domain/identity.ts";
import type { PayloadKeys } from "../../shared/domain/payload-keys.ts";
import type { Approval } from "../../shared/domain/records/approval.ts";
import type { Grant } from "../../shared/domain/records/grant.ts";
import type { Event } from "../../shared/domain/records/inbox.ts";
import { reconcileEffects } from "../../shared/flow/wake/reconcile-effects.ts";
import { sweepDue } from "../../shared/flow/wake/sweep-due.ts";
import type { Pacing } from "../../shared/flow/turn/pacing.ts";
import type { Log } from "../../shared/flow/turn/turn.ts";
import type { HintQueue } from "../../shared/stores/ports.ts";
import type { Landed, Testimony } from "../audit/testimony.ts";
import { memoryCases } from "../memory/memory-cases.ts";
import { memoryControl } from "../memory/memory-control.ts";
import { memoryGrants } from "../memory/memory-grants.ts";
import { memoryHints, type QueueName } from "../memory/memory-hints.ts";
import { virtualClock } from "./clock.ts";
import { contractAt, contracts, pacingLimits, type SystemKind } from "./contracts.ts";
import { notebook, type Notebook } from "./notebook.ts";
import { noticing } from "./noticing.ts";
import { keyring } from "./keyring.ts";
import { systems, type SystemsOptions } from "./providers.ts";
import { actionNames, asksFirst, sealedNote, workflowType, type Business } from "./workflows.ts";
import { silentTelemetry } from "../../shared/telemetry/telemetry.ts";

/** Longer than any wait between two looks: a withheld payload and a missing grant are looked at again for ever. */
const inVainMs = 40 * 60_000;

export const startMs = Date.parse("2026-11-29T12:00:00Z");
export const tenantId = "acme";
export const caseIdKey = Buffer.from("the key of case ids, simulated.");
export const refOf = (n: number): string => `R-${n}`;
const caseKeys = Array.from({ length: 8 }, (_, n): CaseKey => {
  const caseId = caseIdOf(caseIdKey, tenantId, refOf(n));
  return { tenantId, caseId };
});
export function caseKeyOf(n: number): CaseKey {
  const key = caseKeys[n];
  if (key === undefined) throw new Error(`no case ${n}`);
  return key;
}

export interface WorkerState {
  id: string;
  dead: boolean;
  revision: number;
  /** How many transactions of a partition its reads lag behind. */
  lagVersions: number;
  /** Workers of one instance are killed together, and share its pacing. */
  instance: string;
  /** As they were set when its process began. */
  keys: PayloadKeys;
  pacing?: Pacing;
}

/** What happens at one visit of one boundary by one worker. */
export interface Visit {
  worker: WorkerState;
  boundary: string;
}

export interface WorldOptions {
  businesses: readonly Business[];
  latencyMs(): number;
  systems: Pick<SystemsOptions, "callFault" | "deliveryFault" | "lookupFails" | "lagMs">;
  /** Runs an act at a boundary, under whatever the schedule has for it. */
  visit<Result>(visit: Visit, act: () => Promise<Result>): Promise<Result>;
  hintFault(): "lost" | "twice" | "throws" | undefined;
  /** True: the model does not answer this time. */
  modelFails?(): boolean;
  turnBudgetMs?: number;
  fused?: boolean;
  /** Whether workers are paced. */
  paced?: boolean;
  /** The next revision calls its systems elsewhere (schedule.ts). */
  moves?: boolean;
  contracts?: Partial<Record<SystemKind, (typeof contracts)[SystemKind]>>;
}

export interface Told {
  n: number;
  amount: number;
  orderKey?: string;
  recall?: boolean;
  requestedBy?: string;
}

interface Outage {
  how: "silent" | "unreachable";
  forMs: number;
}

export type World = ReturnType<typeof newWorld>;
export const silentLog: Log = { info: () => {}, warn: () => {}, error: () => {} };

export function newWorld(options: WorldOptions) {
  const clock = virtualClock(startMs);
  const { nowMs } = clock;
  const skew = { brokerMs: 0, sweeperMs: 0 };
  const offered = { ...contracts, ...options.contracts };
  /** Until when they are down, and whether the feed's place was forgotten. */
  const rescue = { sweeperDown: 0, feedDown: 0, feedAgain: false };
  const notes = notebook(nowMs);
  const cases = memoryCases({ nowMs });
  const grants = memoryGrants();
  const ring = keyring();
  const down = new Map<string, Outage & { system: SystemKind; untilMs: number }>();
  const control = memoryControl({ nowMs });
  const broker = memoryHints({ nowMs: () => nowMs() + skew.brokerMs });
  const reached = systems({
    clock,
    latencyMs: options.latencyMs,
    happen: notes.happen,
    ...options.systems,
  });
  let pump: () => void = () => {};
  let asked: (approval: Approval) => void = () => {};
  const hints = faultyHints({
    broker,
    hintFault: options.hintFault,
    wake: (atMs) => clock.at(atMs - skew.brokerMs + 1, () => pump()),
  });
  const noticed = noticing(notes, nowMs);
  cases.hooks = {
    landed(batch, caseEtag) {
      const atMs = nowMs();
      const sentAtMs = notes.firstSentMs.get(batch.log.id) ?? atMs;
      notes.landedOf(batch.key.caseId).push({ atMs, sentAtMs, batch, caseEtag });
      noticed(batch);
      for (const created of batch.creates) if (created.type === "approval") asked(created);
    },
  };
  for (const action of actionNames) {
    const grant = grantFor(action);
    grants.put(grant);
    notes.granted(grant);
  }
  const record = recordOfFacts({ nowMs, latencyMs: options.latencyMs, sleep: clock.sleep, notes });
  return {
    options,
    offered,
    rescue,
    clock,
    nowMs,
    skew,
    cases,
    /** Whatever is given or taken back goes into the journal as it becomes so. */
    grants: {
      ...grants,
      async create(grant: Grant) {
        const created = await grants.create(grant);
        if (created === "created") notes.granted(grant);
        return created;
      },
      async revoke(tenant: string, grantId: string, revoked: NonNullable<Grant["revoked"]>) {
        const known = await grants.read(tenant, grantId);
        const done = await grants.revoke(tenant, grantId, revoked);
        if (done === "revoked" && known !== undefined) notes.granted({ ...known, revoked });
        return done;
      },
    },
    actions: actionNames,
    keyring: ring,
    control,
    broker,
    hints,
    reached,
    notes,
    record,
    heldWrite: heldWrite(),
    /** How one system does not answer now. */
    downOf(system: string): "silent" | "unreachable" | undefined {
      const found = down.get(system);
      if (found === undefined || found.untilMs <= nowMs()) return undefined;
      if (found.forMs > (offered[found.system].idempotency?.retentionMs ?? Infinity))
        notes.happen("a system was down for longer than it keeps its keys");
      return found.how;
    },
    takeDown(system: SystemKind, how: Outage): void {
      down.set(system, { ...how, system, untilMs: nowMs() + how.forMs });
    },
    setPump: (act: () => void) => void (pump = act),
    /** Told of each question as it becomes durable. */
    setAsked: (act: (approval: Approval) => void) => void (asked = act),
    landLate(): void {
      try {
        if (cases.landLate() > 0) notes.happen("a late write landed");
      } catch (error) {
        // A batch that no store takes: its worker hears nothing of it, and the auditor does.
        notes.defects.push(String(error));
      }
    },
    /** As intake stores it, with its hint. */
    async post(n: number, told: Told): Promise<void> {
      const key = caseKeyOf(n);
      const stored = eventOf(key, { ...told, ref: refOf(n) }, nowMs());
      if ((await cases.createEvent(stored)) === "uncertain") return;
      notes.eventsOf(key.caseId).push(stored.id);
      await hints
        .send("cases", { ...key, hintId: `event ${key.caseId} ${told.n}`, reason: "event" })
        .catch(expectTransient);
    },
    async sweep(): Promise<void> {
      const ports = { cases, control, hints, log: silentLog, telemetry: silentTelemetry };
      await sweepDue(ports, { wallClockMs: nowMs() + skew.sweeperMs }).catch(expectTransient);
    },
    async feed(
      book: Parameters<typeof reconcileEffects>[0]["book"],
      since: number,
    ): Promise<number> {
      const { documents, position } = cases.changesSince(since);
      if (documents.length > 0)
        await reconcileEffects(
          { cases, control, hints, book, log: silentLog, telemetry: silentTelemetry },
          documents,
        );
      return position;
    },
    /** Nothing is due any more, no message waits, no call is out; or all that happens is that somebody looks in vain. */
    async isQuiet(): Promise<boolean> {
      const changed = options.businesses.flatMap((_business, n) =>
        notes.landedOf(caseKeyOf(n).caseId).filter(changesMore),
      );
      const lastAtMs = Math.max(startMs, ...changed.map(({ atMs }) => atMs));
      const waiting = [...broker.waiting("cases"), ...broker.waiting("reviews")];
      if (nowMs() - lastAtMs > inVainMs && waiting.every(({ activeAtMs }) => activeAtMs > nowMs()))
        return true;
      const due = await cases.due({ nowMs: Number.MAX_SAFE_INTEGER, max: 1, from: "oldest" });
      return due.length === 0 && waiting.length === 0;
    },
    async testimony(settled: boolean): Promise<Testimony> {
      const keys = options.businesses.map((_business, n) => caseKeyOf(n));
      return {
        ...asOfNow({ ...notes, ...reached }),
        endedAtMs: nowMs(),
        settled,
        cases: await Promise.all(
          keys.map(async (key) => ({
            key,
            landed: notes.landedOf(key.caseId),
            final: await cases.history(key),
            events: notes.eventsOf(key.caseId),
            decisions: notes.decisionsOf(key.caseId),
            decider: businessOf(options.businesses, key.caseId).decider,
          })),
        ),
        contracts: Object.fromEntries(
          Object.entries(offered).map(([name, contract]) => [
            name,
            contractAt(contract, options, 2),
          ]),
        ),
        asksFirst,
        privateNote,
        sealedNote,
        keyIds: new Set(ring.ids()),
        lastingPayloads: undefined,
        pacing: options.paced === true ? pacingLimits : undefined,
      };
    },
  };
}

/** Whoever comes later, while nobody works any more, adds nothing to it. */
function asOfNow<Notes extends object>(notes: Notes): Notes {
  const copies = Object.entries(notes).map(([name, value]: [string, unknown]) => [
    name,
    Array.isArray(value) ? [...value] : value,
  ]);
  return Object.fromEntries(copies) as Notes;
}

export function expectTransient(error: unknown): void {
  if (!(error instanceof TransientFault)) throw error;
}

/** What the business's own system says of a case; people edit it behind everybody's back. */
function recordOfFacts(parts: {
  nowMs(): number;
  latencyMs(): number;
  sleep(ms: number): Promise<void>;
  notes: Notebook;
}) {
  const edits = new Map<string, number>();
  const { latencyMs, notes, nowMs, sleep } = parts;
  return {
    downUntilMs: 0,
    edit(caseId: string, edited: number): void {
      edits.set(caseId, edited);
      notes.recordEdits.push({ caseId, atMs: nowMs(), edited });
    },
    async read(facts: Facts): Promise<Facts> {
      await sleep(latencyMs());
      if (nowMs() < this.downUntilMs) throw new Error("the system of record does not answer");
      const { caseId } = facts;
      const edited = typeof caseId === "string" ? edits.get(caseId) : undefined;
      return edited === undefined ? facts : { ...facts, edited };
    },
  };
}

/** More than when somebody must look again. */
function changesMore({ batch }: Landed): boolean {
  return batch.creates.length + batch.replaces.length + batch.amends.length > 0;
}

/** The next batch of whichever worker is held until then: what was looked at before it is then old. */
function heldWrite() {
  let heldUntilMs = 0;
  return {
    until: (atMs: number) => void (heldUntilMs = atMs),
    takeMs(nowMs: number): number {
      const ms = Math.max(0, heldUntilMs - nowMs);
      heldUntilMs = 0;
      return ms;
    },
  };
}

export function businessOf(businesses: readonly Business[], caseId: string): Business {
  const found = businesses.find((_business, n) => caseKeyOf(n).caseId === caseId);
  if (found === undefined) throw new Error(`no business for ${caseId}`);
  return found;
}

/** Loses, repeats or refuses messages as the schedule says, and wakes whoever waits for them. */
function faultyHints(parts: {
  broker: HintQueue;
  hintFault: WorldOptions["hintFault"];
  wake(atMs: number): void;
}): HintQueue {
  const { broker } = parts;
  const put = async (queue: QueueName, hint: Parameters<HintQueue["send"]>[1], atMs: number) => {
    const fault = parts.hintFault();
    if (fault === "throws") throw new TransientFault("the broker did not answer");
    if (fault === "lost") return { cancel: () => Promise.resolve() };
    const scheduled = await broker.schedule(queue, hint, atMs);
    if (fault === "twice")
      await broker.schedule(queue, { ...hint, hintId: `${hint.hintId} again` }, atMs);
    parts.wake(atMs);
    return scheduled;
  };
  return {
    async send(queue, hint) {
      await put(queue, hint, 0);
    },
    schedule: (queue, hint, atMs) => put(queue, hint, atMs),
  };
}

function grantFor(action: string): Grant {
  return {
    id: `grant:${action}`,
    type: "grant",
    schemaVersion: 1,
    tenantId,
    subject: workflowType,
    action,
    target: "*",
    limits: {},
    grantedBy: "test",
    grantedAtMs: 0,
  };
}

/** What must be nowhere in a case that was erased. */
export const privateNote = "only between us";

function eventOf(key: CaseKey, told: Told & { ref: string }, nowMs: number): Event {
  const { amount, n, orderKey, recall, ref, requestedBy } = told;
  return {
    id: `event:src:e${n}`,
    type: "event",
    schemaVersion: 1,
    ...key,
    source: "src",
    eventId: `e${n}`,
    eventType: "told",
    workflow: workflowType,
    externalRef: ref,
    ...(requestedBy === undefined ? {} : { requestedBy }),
    body: {
      caseId: key.caseId,
      ref,
      amount,
      note: privateNote,
      ...(recall === true ? { recall } : {}),
    },
    digest: "d".repeat(64),
    orderKey: orderKey ?? new Date(nowMs).toISOString(),
    receivedAtMs: nowMs,
    dueAtMs: nowMs + 15_000,
  };
}
