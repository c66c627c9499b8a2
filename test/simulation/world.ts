// A whole deployment in one process on one virtual clock: stores, broker, workers, sweeper, reader of the feed, systems.
//
// Everything that a worker awaits goes through its `at`; there it may be held, killed or given another answer. A killed
// worker never resumes: like a process under SIGKILL it runs no `catch` and no `finally`.
import type { Decision } from "../../shared/domain/definitions.ts";
import { TransientFault } from "../../shared/domain/faults.ts";
import { caseKeyText, type CaseKey } from "../../shared/domain/identity.ts";
import type { Grant } from "../../shared/domain/records/grant.ts";
import type { Event } from "../../shared/domain/records/inbox.ts";
import { handleHint } from "../../shared/flow/wake/handle-hint.ts";
import { reconcileEffects } from "../../shared/flow/wake/reconcile-effects.ts";
import { sweepDue } from "../../shared/flow/wake/sweep-due.ts";
import type { Log, TurnPorts } from "../../shared/flow/turn/turn.ts";
import type { GrantStore, HintQueue } from "../../shared/stores/ports.ts";
import type { Landed, Testimony } from "../audit/testimony.ts";
import { memoryCases } from "../memory/memory-cases.ts";
import { memoryControl } from "../memory/memory-control.ts";
import { memoryGrants } from "../memory/memory-grants.ts";
import { memoryHints, type Delivery, type QueueName } from "../memory/memory-hints.ts";
import { virtualClock } from "./clock.ts";
import { contracts, type ContractKind } from "./contracts.ts";
import { systems, type SystemsOptions } from "./providers.ts";
import { actionNames, simulatedBook, workflowType, type Business } from "./workflows.ts";

export const startMs = Date.parse("2026-11-29T12:00:00Z");
export const tenantId = "acme";
export const caseKeyOf = (n: number): CaseKey => ({
  tenantId,
  caseId: `${"abcdefgh"[n]}`.repeat(26),
});

export interface WorkerState {
  id: string;
  dead: boolean;
  revision: number;
  /** How many transactions of a partition its reads lag behind. */
  lagVersions: number;
}

/** What happens at one visit of one boundary by one worker. */
export interface Visit {
  worker: WorkerState;
  boundary: string;
}

export interface WorldOptions {
  businesses: readonly Business[];
  latencyMs(): number;
  systems: Pick<SystemsOptions, "callFault" | "lookupFails" | "lagMs">;
  /** Runs an act at a boundary, under whatever the schedule has for it. */
  visit<Result>(visit: Visit, act: () => Promise<Result>): Promise<Result>;
  hintFault(): "lost" | "twice" | "throws" | undefined;
  turnBudgetMs?: number;
  fused?: boolean;
  contracts?: Partial<Record<ContractKind, (typeof contracts)[ContractKind]>>;
}

export type World = ReturnType<typeof newWorld>;
const silent: Log = { info: () => {}, warn: () => {}, error: () => {} };

export function newWorld(options: WorldOptions) {
  const clock = virtualClock(startMs);
  const { nowMs } = clock;
  const skew = { brokerMs: 0, sweeperMs: 0 };
  const offered = { ...contracts, ...options.contracts };
  const notes = notebook();
  const cases = memoryCases({ nowMs });
  const grants = memoryGrants();
  const control = memoryControl({ nowMs });
  const broker = memoryHints({ nowMs: () => nowMs() + skew.brokerMs });
  const reached = systems({ clock, latencyMs: options.latencyMs, ...options.systems });
  let pump: () => void = () => {};
  const hints = faultyHints({
    broker,
    hintFault: options.hintFault,
    wake: (atMs) => clock.at(atMs - skew.brokerMs + 1, () => pump()),
  });
  cases.hooks = {
    landed: (batch, caseEtag) =>
      void notes.landedOf(batch.key.caseId).push({ atMs: nowMs(), batch, caseEtag }),
  };
  const grant = (state: Grant) => {
    grants.put(state);
    notes.grants.push({ atMs: nowMs(), grant: state });
  };
  for (const action of actionNames) grant(grantFor(action));

  function portsOf(worker: WorkerState): TurnPorts {
    const providers = Object.entries(offered).map(([name, contract]) =>
      reached.connect(name, contract, worker.id),
    );
    const seen = () => (worker.lagVersions === 0 ? cases : cases.reader(worker));
    return {
      cases: { ...cases, read: (key) => seen().read(key), head: (key) => seen().head(key) },
      grants: watchedGrants(grants, (grantId) =>
        notes.gateReads.push({ atMs: nowMs(), worker: worker.id, grantId }),
      ),
      control,
      hints,
      book: simulatedBook({
        business: (caseId) => businessOf(options.businesses, caseId),
        providers,
        revision: worker.revision,
        decided: (caseId, version, decision) =>
          notes.decisionsOf(caseId).push({ version, decision }),
        asked: (caseId, version) => `answer ${notes.askedOf(caseId).push(version)}`,
      }),
      log: {
        ...silent,
        warn: (message) => void (message === "postponed" && notes.lostWorkers.add(worker.id)),
      },
      monotonicMs: nowMs,
      sleep: (ms) => clock.sleep(ms),
      workerId: worker.id,
      turnBudgetMs: options.turnBudgetMs ?? 90_000,
      fused: options.fused ?? true,
      at: (boundary, act) => options.visit({ worker, boundary }, act),
    };
  }

  const feedPorts = portsOf({ id: "feed", dead: false, revision: 2, lagVersions: 0 });
  return {
    clock,
    nowMs,
    skew,
    cases,
    grants: { ...grants, grant },
    actions: actionNames,
    horizonMsOf: (provider: string): number =>
      Object.entries(offered).find(([name]) => name === provider)?.[1].horizonMs ?? 0,
    control,
    broker,
    hints,
    reached,
    notes,
    portsOf,
    setPump: (act: () => void) => void (pump = act),
    /** As intake stores it, with its hint. */
    async post(n: number, event: { n: number; amount: number; orderKey?: string }): Promise<void> {
      const key = caseKeyOf(n);
      const stored = eventOf(key, event, nowMs());
      if ((await cases.createEvent(stored)) === "uncertain") return;
      notes.eventsOf(key.caseId).push(stored.id);
      await hints
        .send("cases", { ...key, hintId: `event ${key.caseId} ${event.n}`, reason: "event" })
        .catch(expectTransient);
    },
    async sweep(): Promise<void> {
      const ports = { cases, control, hints, log: silent };
      await sweepDue(ports, { wallClockMs: nowMs() + skew.sweeperMs }).catch(expectTransient);
    },
    async feed(position: number): Promise<number> {
      const { documents, position: reachedPosition } = cases.changesSince(position);
      if (documents.length === 0) return reachedPosition;
      await reconcileEffects({ cases, hints, book: feedPorts.book, log: silent }, documents);
      return reachedPosition;
    },
    /** Nothing is due any more, no message waits, no call is out. */
    async isQuiet(): Promise<boolean> {
      const due = await cases.due({ nowMs: Number.MAX_SAFE_INTEGER, max: 1 });
      const waiting = [...broker.waiting("cases"), ...broker.waiting("reviews")];
      return due.length === 0 && waiting.length === 0;
    },
    async testimony(settled: boolean): Promise<Testimony> {
      const keys = options.businesses.map((_business, n) => caseKeyOf(n));
      return {
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
        received: reached.received,
        applied: reached.applied,
        contracts: offered,
        grants: notes.grants,
        gateReads: notes.gateReads,
        freezes: notes.freezes,
        statements: notes.statements,
        answered: reached.answered,
        lostWorkers: notes.lostWorkers,
        redeliveries: notes.redeliveries.length,
        defects: notes.defects,
      };
    },
  };
}

export function expectTransient(error: unknown): void {
  if (!(error instanceof TransientFault)) throw error;
}

function notebook() {
  const byCase = <Entry>() => {
    const lists = new Map<string, Entry[]>();
    return (caseId: string): Entry[] => {
      const list = lists.get(caseId) ?? [];
      lists.set(caseId, list);
      return list;
    };
  };
  return {
    landedOf: byCase<Landed>(),
    eventsOf: byCase<string>(),
    decisionsOf: byCase<{ version: number; decision: Decision }>(),
    /** The version of each question to the model. */
    askedOf: byCase<number>(),
    grants: [] as { atMs: number; grant: Grant }[],
    gateReads: [] as { atMs: number; worker: string; grantId: string }[],
    freezes: [] as Testimony["freezes"][number][],
    statements: [] as Testimony["statements"][number][],
    lostWorkers: new Set<string>(),
    /** Each message that came back from a worker. */
    redeliveries: [] as string[],
    defects: [] as string[],
  };
}

function businessOf(businesses: readonly Business[], caseId: string): Business {
  const found = businesses.find((_business, n) => caseKeyOf(n).caseId === caseId);
  if (found === undefined) throw new Error(`no business for ${caseId}`);
  return found;
}

function watchedGrants(grants: GrantStore, looked: (grantId: string) => void): GrantStore {
  return {
    candidates: (wanted) => grants.candidates(wanted),
    read(tenant, grantId) {
      looked(grantId);
      return grants.read(tenant, grantId);
    },
  };
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
    if (fault === "lost") return;
    await broker.schedule(queue, hint, atMs);
    if (fault === "twice")
      await broker.schedule(queue, { ...hint, hintId: `${hint.hintId} again` }, atMs);
    parts.wake(atMs);
  };
  return {
    send: (queue, hint) => put(queue, hint, 0),
    schedule: (queue, hint, atMs) => put(queue, hint, atMs),
  };
}

/** Runs the turn of one delivery; a fault gives the message back, as the host does. */
export async function deliver(
  world: World,
  ports: TurnPorts,
  { delivery, queue }: { delivery: Delivery; queue: QueueName },
): Promise<void> {
  const { deliveryCount, hint } = delivery;
  try {
    await handleHint(
      ports,
      { ...hint, caseKey: caseKeyText(hint) },
      { queue, deliveryCount, wallClockMs: world.nowMs(), random: () => crypto.randomUUID() },
    );
    delivery.complete();
  } catch (error) {
    delivery.abandon();
    world.notes.redeliveries.push(hint.hintId);
    world.notes.lostWorkers.add(ports.workerId);
    if (!(error instanceof TransientFault)) {
      world.notes.defects.push(
        error instanceof Error ? (error.stack ?? error.message) : String(error),
      );
    }
  }
}

export function grantFor(action: string): Grant {
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

function eventOf(
  key: CaseKey,
  event: { n: number; amount: number; orderKey?: string },
  nowMs: number,
): Event {
  return {
    id: `event:src:e${event.n}`,
    type: "event",
    schemaVersion: 1,
    ...key,
    source: "src",
    eventId: `e${event.n}`,
    eventType: "told",
    workflow: workflowType,
    externalRef: "R-1",
    body: { caseId: key.caseId, amount: event.amount },
    digest: "d".repeat(64),
    orderKey: event.orderKey ?? new Date(nowMs).toISOString(),
    receivedAtMs: nowMs,
    dueAtMs: nowMs + 15_000,
  };
}
