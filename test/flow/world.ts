// A whole world in one process, on a virtual clock: stores in memory, workers that can die at any boundary, providers with
// journals of what they applied. Tests assert what the world holds in the end.
import { bookOf } from "../../shared/domain/book-of.ts";
import type { Book, Workflow, Facts, Provider } from "../../shared/domain/definitions.ts";

import { findingIdOf } from "../../shared/domain/identity.ts";
import type { Effect } from "../../shared/domain/records/effect.ts";
import type { Answer, Receipt } from "../../shared/domain/records/evidence.ts";
import type { Grant } from "../../shared/domain/records/grant.ts";
import type { Event } from "../../shared/domain/records/inbox.ts";
import type { SendRequest } from "../../shared/domain/definitions.ts";
import { advanceCase } from "../../shared/flow/turn/advance-case.ts";
import type { Log, TurnPorts, TurnResult } from "../../shared/flow/turn/turn.ts";
import type { CaseStore } from "../../shared/stores/ports.ts";
import { silentTelemetry } from "../../shared/telemetry/telemetry.ts";
import { bookWith, event, key, keyContract, noContract } from "../domain/situations.ts";
import { memoryCases } from "../memory/memory-cases.ts";
import { memoryControl } from "../memory/memory-control.ts";
import { memoryGrants } from "../memory/memory-grants.ts";
import { memoryHints } from "../memory/memory-hints.ts";
import { memoryReports } from "../memory/memory-reports.ts";

export { key };

/** What a provider does with one call. */
export type Behaviour =
  | "ok"
  /** Applied; the answer is lost. */
  | "appliedAndDropped"
  /** Never applied; no answer either. */
  | "swallowed"
  /** No answer now; applied when `world.applyLate()` is called. */
  | "appliesLate"
  | "refuses"
  | "turnsAway"
  | "refusesConnection";

export interface Applied {
  operationId: string;
  action: string;
  target: string;
  payload: Readonly<Record<string, unknown>>;
  providerId: string;
}

export interface TestProvider extends Provider {
  /** One per call, in order; "ok" when there is none left. */
  script: Behaviour[];
  received: SendRequest[];
  applied: Applied[];
  /** Runs after a call has been applied, or not, and before its answer. */
  duringCall: ((request: SendRequest) => Promise<void> | void) | undefined;
}

export type World = ReturnType<typeof newWorld>;

const silent: Log = { info: () => {}, warn: () => {}, error: () => {} };

export function newWorld(
  options: {
    fused?: boolean;
    decide?: Workflow["decide"];
    approve?: readonly string[];
    approvals?: Readonly<Record<string, readonly string[]>>;
    sensitive?: readonly string[];
    refresh?: (facts: Facts) => Promise<Facts>;
    /** How long the provider without a key may be silent about what it took. */
    deliverySilenceMs?: number;
  } = {},
) {
  let clockMs = Date.parse("2026-11-29T12:00:00Z");
  const nowMs = () => clockMs;
  const late: (() => void)[] = [];
  const keyed = testProvider({ name: "keyed", contract: keyContract }, late);
  const { deliverySilenceMs } = options;
  const bareContract =
    deliverySilenceMs === undefined ? noContract : { ...noContract, deliverySilenceMs };
  const bare = testProvider({ name: "bare", contract: bareContract }, late);
  const cases = memoryCases({ nowMs });
  const grants = memoryGrants(
    ...["keyed.first.v1", "keyed.second.v1", "bare.first.v1", "mail.tell.v1"].map(grantFor),
  );
  const control = memoryControl({ nowMs });
  const hints = memoryHints({ nowMs });
  const reports = memoryReports(cases);
  const book = bookWithProviders(
    bookWith(options.decide, options),
    [keyed, bare],
    options.approvals,
  );
  let workers = 0;
  let reported = 0;

  function worker(change: Partial<TurnPorts> & { cases?: CaseStore } = {}): TurnPorts {
    workers += 1;
    return {
      cases,
      grants,
      control,
      hints,
      book,
      log: silent,
      telemetry: silentTelemetry,
      monotonicMs: nowMs,
      sleep: async (ms) => void (clockMs += ms),
      workerId: `w${workers}`,
      turnBudgetMs: 90_000,
      fused: options.fused ?? true,
      at: (_boundary, act) => act(),
      ...change,
    };
  }

  const world = {
    cases,
    grants,
    control,
    hints,
    reports,
    book,
    keyed,
    bare,
    nowMs,
    worker,
    advance: (ms: number) => void (clockMs += ms),
    applyLate: () => late.splice(0).forEach((apply) => apply()),
    /** Stores the event and hints, as intake does. */
    async post(n: number, body?: Event["body"], orderKey?: string): Promise<void> {
      const arrived = {
        ...event(n, body, orderKey),
        receivedAtMs: nowMs(),
        dueAtMs: nowMs() + 15_000,
      };
      await cases.createEvent(arrived);
      await hints.send("cases", { ...key, hintId: `e${n}`, reason: "event" });
    },
    /** The provider's own webhook about one operation, as intake stores it. */
    async report(receipt: Receipt): Promise<void> {
      const { operationId } = receipt.boundTo;
      reported += 1;
      await cases.createFinding({
        id: findingIdOf(operationId, "report", reported),
        type: "finding",
        schemaVersion: 1,
        ...key,
        operationId,
        content: { kind: "providerReport", receipt },
        by: "source:test",
        foundAtMs: nowMs(),
      });
    },
    turn: (ports: TurnPorts = worker()): Promise<TurnResult> => advanceCase(ports, key),
    /** Delivers hints, letting time pass to the next one, until none is left or `untilMs` has passed. */
    async run(ports: TurnPorts = worker(), forMs = 3_600_000): Promise<void> {
      const endMs = clockMs + forMs;
      for (;;) {
        const delivery = hints.receive("cases") ?? hints.receive("reviews");
        if (delivery !== undefined) {
          await advanceCase(ports, delivery.hint);
          delivery.complete();
          continue;
        }
        const times = [hints.nextActiveAtMs("cases"), hints.nextActiveAtMs("reviews")];
        const nextMs = Math.min(...times.filter((ms) => ms !== undefined));
        if (nextMs > endMs) return;
        clockMs = Math.max(clockMs, nextMs);
      }
    },
    async effects(): Promise<readonly Effect[]> {
      return (await cases.read(key)).snapshot.effects;
    },
    async record() {
      const { snapshot } = await cases.read(key);
      if (snapshot.case === undefined) throw new Error("no case");
      return snapshot.case;
    },
    async reviews() {
      return (await cases.read(key)).snapshot.reviews;
    },
    batches: (): number => cases.stored(key).filter(({ type }) => type === "log").length,
  };
  return world;
}

function grantFor(action: string): Grant {
  return {
    id: `grant:${action}`,
    type: "grant",
    schemaVersion: 1,
    tenantId: "acme",
    subject: "test-flow",
    action,
    target: "*",
    limits: {},
    grantedBy: "test",
    grantedAtMs: 0,
  };
}

function bookWithProviders(
  book: Book,
  providers: readonly Provider[],
  approvals: Readonly<Record<string, readonly string[]>> = {},
): Book {
  const workflow = book.workflow("test-flow");
  const names = ["keyed.first.v1", "keyed.second.v1", "bare.first.v1", "mail.tell.v1"];
  return bookOf({
    workflows: workflow === undefined ? [] : [workflow],
    actions: names.flatMap((action) => book.action(action) ?? []),
    providers,
    payloadKeys: book.payloadKeys,
    approvals,
  });
}

/** A stand-in under a real contract: it keeps the promise about keys, and a journal of what it applied. */
export function testProvider(
  { contract, name, ...rest }: Pick<Provider, "name" | "contract"> & Partial<Provider>,
  late: (() => void)[] = [],
): TestProvider {
  const byKey = new Map<string, Applied>();
  function apply(request: SendRequest): Applied {
    const known = request.providerKey === undefined ? undefined : byKey.get(request.providerKey);
    if (known !== undefined) return known;
    const applied: Applied = {
      operationId: request.binding.operationId,
      action: request.action,
      target: request.binding.target,
      payload: request.payload,
      providerId: `${name}-${provider.applied.length + 1}`,
    };
    provider.applied.push(applied);
    if (request.providerKey !== undefined) byKey.set(request.providerKey, applied);
    return applied;
  }
  const provider: TestProvider = {
    apiVersion: "v1",
    accountOf: (tenantId) => tenantId,
    ...rest,
    name,
    contract,
    script: [],
    received: [],
    applied: [],
    duringCall: undefined,
    async send(request) {
      provider.received.push(request);
      const behaviour = provider.script.shift() ?? "ok";
      const applied =
        behaviour === "ok" || behaviour === "appliedAndDropped" ? apply(request) : undefined;
      if (behaviour === "appliesLate") late.push(() => void apply(request));
      await provider.duringCall?.(request);
      return answerOf(behaviour, request, applied);
    },
  };
  return provider;
}

/** Takes the provider's key away: its calls are looked up by our id, and the look-up shows at once what it has applied. */
export function lookedUp(provider: TestProvider): void {
  const { idempotency: _none, ...contract } = provider.contract;
  const lookup = { by: "operationId", consistency: "strong", settleMs: 0 } as const;
  provider.contract = { ...contract, lookup };
  provider.lookup = async ({ binding }) => {
    const { operationId } = binding;
    const ours = provider.applied.find((applied) => applied.operationId === operationId);
    if (ours === undefined) return { kind: "absent" };
    const { providerId } = ours;
    const receipt = { stage: "accepted", providerId, boundTo: binding, content: {} } as const;
    return { kind: "found", receipt };
  };
}

function answerOf(
  behaviour: Behaviour,
  request: SendRequest,
  applied: Applied | undefined,
): Answer {
  switch (behaviour) {
    case "ok":
      return {
        kind: "receipt",
        receipt: {
          stage: "accepted",
          providerId: applied?.providerId ?? "",
          boundTo: request.binding,
          content: {},
        },
      };
    case "appliedAndDropped":
    case "swallowed":
    case "appliesLate":
      return { kind: "noAnswer", reason: "reset" };
    case "refuses":
      return { kind: "refused", reason: "no", speaksForOperation: false };
    case "turnsAway":
      return { kind: "notApplied", reason: "429", retryAfterMs: 2000 };
    case "refusesConnection":
      return { kind: "notApplied", reason: "ECONNREFUSED" };
  }
}

/** The worker's process is gone: whatever it still wants to do at a boundary never happens. */
export class Killed extends Error {}

/** A worker that dies before or after the nth visit of a boundary. */
export function mortal(
  world: Pick<World, "worker">,
  death: { boundary: string; when: "before" | "after"; visit?: number },
  change: Partial<TurnPorts> = {},
): TurnPorts {
  let dead = false;
  let visits = 0;
  return world.worker({
    ...change,
    async at(boundary, act) {
      if (dead) throw new Killed();
      const hit = boundary === death.boundary && (visits += 1) === (death.visit ?? 1);
      if (hit && death.when === "before") {
        dead = true;
        throw new Killed();
      }
      const result = await act();
      if (hit) {
        dead = true;
        throw new Killed();
      }
      return result;
    },
  });
}

/** Runs a turn of a worker that is expected to die in it; its message comes back. */
export async function turnUntilDeath(world: World, ports: TurnPorts): Promise<void> {
  const delivery = world.hints.receive("cases");
  try {
    await advanceCase(ports, delivery?.hint ?? key);
  } catch (error) {
    if (!(error instanceof Killed)) throw error;
    delivery?.abandon();
    return;
  }
  throw new Error("the worker lived on");
}
