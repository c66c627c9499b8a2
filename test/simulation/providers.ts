// External systems on the virtual clock, each with the promises of one contract and a journal that nobody else can touch.
//
//   key        the same key within retention is applied once, and answers as the first time
//   strong     a look-up by operation id shows what was applied, at once
//   eventual   a search shows it after a lag
//   none       each request that arrives is applied
//
// A call's fault is planned by its number; without one it goes well. No call is applied later than its time-out plus
// the contract's horizon after it was sent: that is the provider's promise, and the protocol's premise.
import { z } from "zod";
import { canonicalJson } from "../../shared/domain/canonical-json.ts";
import type { Contract } from "../../shared/domain/contract.ts";
import type {
  LookupRequest,
  Provider,
  ProviderReport,
  SendRequest,
} from "../../shared/domain/definitions.ts";
import { Receipt, type Answer, type LookupVerdict } from "../../shared/domain/records/evidence.ts";
import type { Applied, Received, Testimony } from "../audit/testimony.ts";
import type { VirtualClock } from "./clock.ts";
import type { Happen } from "./happenings.ts";
import { tellingsOf, type DeliveryFault, type Telling } from "./deliveries.ts";
import { frozenDigestOf, isSensitive } from "./workflows.ts";

export const callFaults = [
  "lost",
  "answerLost",
  "answerLate",
  "appliedLate",
  "refused",
  "lostThenRefused",
  "turnedAway",
  "busy",
  "reportFirst",
  "notConnected",
  "misrouted",
  "misroutedLost",
  "copied",
  "copiedLost",
] as const;
export type CallFault = (typeof callFaults)[number];

const isAnswerLost = new Set<CallFault>([
  "answerLost",
  "copied",
  "lostThenRefused",
  "misroutedLost",
]);

/** Longer than the first back-offs, so that keeping to it shows. */
const askedForMs = 45_000;

/** With what its request told of where it came from. */
export interface AppliedHere extends Applied {
  caseKey: string;
  providerKey?: string;
  /** Where it was called: calls at one address are not known at another. */
  apiVersion: string;
}

export interface Systems {
  received: Received[];
  applied: AppliedHere[];
  answered: { worker: string; operationId: string; atMs: number }[];
  askedForTime: Testimony["askedForTime"][number][];
  /** The systems' own webhooks: what one of them did, told before its answer leaves, or later. */
  tell: ((entry: AppliedHere, stage: Telling["stage"]) => Promise<void>) | undefined;
  /** One of them has still to come. */
  isTelling(): boolean;
  /** The same system as one worker reaches it. */
  connect(
    name: string,
    contract: Contract,
    worker: { id: string; revision: number; apiVersion: string },
  ): Provider;
}

export interface SystemsOptions {
  clock: VirtualClock;
  latencyMs(): number;
  happen: Happen;
  /** The fault of this call; undefined: none. */
  callFault(call: { provider: string; request: SendRequest }): CallFault | undefined;
  /** What becomes of the next delivery of a system that promises to report it; undefined: it arrives. */
  deliveryFault(): DeliveryFault | undefined;
  /** True: this look-up gets no answer. */
  lookupFails(provider: string): boolean;
  /** How long after its application an eventual search shows it. */
  lagMs(settleMs: number): number;
}

interface Arrival {
  provider: string;
  apiVersion: string;
  contract: Contract;
  worker: string;
  request: SendRequest;
  sentAtMs: number;
}

export function systems(options: SystemsOptions): Systems {
  const { clock } = options;
  const received: Received[] = [];
  const applied: AppliedHere[] = [];
  const answered: Systems["answered"] = [];
  const askedForTime: Systems["askedForTime"] = [];
  /** What somebody else made there, under the mark of one of our operations. */
  const copies: AppliedHere[] = [];
  const keys = new Map<string, { entry: AppliedHere; untilMs: number }>();
  let untold = 0;

  function arrive(arrival: Arrival): void {
    const { provider, request, sentAtMs, worker } = arrival;
    received.push({
      ...intentOf(arrival),
      atMs: clock.nowMs(),
      sentAtMs,
      worker,
      provider,
      fence: request.fence,
    });
  }

  function entryOf(
    arrival: Arrival,
    change: Pick<Applied, "providerId"> & Partial<Applied>,
  ): AppliedHere {
    const { apiVersion, contract, provider, request } = arrival;
    const { caseKey = "", providerKey } = request;
    const { consistency, settleMs = 0 } = contract.lookup ?? {};
    const atMs = clock.nowMs();
    return {
      ...intentOf(arrival),
      caseKey,
      apiVersion,
      ...(providerKey === undefined ? {} : { providerKey }),
      atMs,
      provider,
      visibleAtMs: atMs + (consistency === "eventual" ? options.lagMs(settleMs) : 0),
      ...change,
    };
  }

  function apply(arrival: Arrival, change: Partial<Applied> = {}): AppliedHere {
    const { apiVersion, contract, provider, request } = arrival;
    const nowMs = clock.nowMs();
    const keyText = `${provider} ${apiVersion} ${request.account} ${request.providerKey}`;
    const known = contract.idempotency === undefined ? undefined : keys.get(keyText);
    if (known !== undefined && nowMs < known.untilMs) return known.entry;
    const entry = entryOf(arrival, { providerId: `${provider}-${applied.length + 1}`, ...change });
    applied.push(entry);
    if (contract.deliverySilenceMs !== undefined) {
      for (const telling of tellingsOf(options.deliveryFault())) tellLater(entry, telling);
    }
    const retentionMs = contract.idempotency?.retentionMs ?? 0;
    keys.set(keyText, { entry, untilMs: nowMs + retentionMs });
    return entry;
  }

  /** Operations whose next call is refused, although the one before was carried out. */
  const refusedNext = new Set<string>();

  async function carryOut(arrival: Arrival, planned: CallFault | undefined): Promise<Answer> {
    const { contract, request } = arrival;
    const isRefusedNow = refusedNext.delete(request.binding.operationId);
    if (planned === "lostThenRefused") refusedNext.add(request.binding.operationId);
    const fault = isRefusedNow ? "refused" : planned;
    const { timeoutMs } = request;
    const timedOut = async (): Promise<Answer> => {
      const leftMs = arrival.sentAtMs + timeoutMs - clock.nowMs();
      await clock.sleep(Math.max(0, leftMs));
      return { kind: "noAnswer", reason: "timed out" };
    };
    if (fault === "notConnected") return { kind: "notApplied", reason: "ECONNREFUSED" };
    if (fault === "copied" || fault === "copiedLost") copy(arrival);
    if (fault === "lost" || fault === "copiedLost") return timedOut();
    if (fault === "appliedLate") {
      const delayMs = timeoutMs + Math.floor(contract.horizonMs * 0.8);
      clock.at(clock.nowMs() + delayMs, () => {
        options.happen("a call was applied after its time");
        arrive(arrival);
        apply(arrival);
      });
      return timedOut();
    }
    await clock.sleep(options.latencyMs());
    arrive(arrival);
    if (fault === "refused") return { kind: "refused", reason: "403", speaksForOperation: false };
    if (fault === "turnedAway") return { kind: "notApplied", reason: "429", retryAfterMs: 2000 };
    if (fault === "busy") return askForTime(arrival);
    const isMisrouted = fault === "misrouted" || fault === "misroutedLost";
    const entry = apply(arrival, isMisrouted ? { payload: { of: "another" } } : {});
    if (isMisrouted) tellLater(entry, { afterMs: misroutedMs(), stage: "accepted" });
    if (fault === "answerLate") return timedOut();
    if (fault === "reportFirst") await world.tell?.(entry, "accepted");
    await clock.sleep(options.latencyMs());
    if (fault !== undefined && isAnswerLost.has(fault))
      return { kind: "noAnswer", reason: "reset" };
    const { worker } = arrival;
    answered.push({ worker, operationId: request.binding.operationId, atMs: clock.nowMs() });
    return { kind: "receipt", receipt: receiptOf(entry) };
  }

  function copy(arrival: Arrival): void {
    const providerId = `${arrival.provider}-copy-${copies.length + 1}`;
    copies.push(entryOf(arrival, { providerId, payload: { of: "a copy" } }));
  }

  /** Soon, or when it may have been given up and its case erased. */
  const misroutedMs = () => (applied.length % 2 === 0 ? 30_000 : 720_000);

  function tellLater(entry: AppliedHere, { afterMs, stage }: Telling): void {
    untold += 1;
    clock.at(clock.nowMs() + afterMs, () => {
      untold -= 1;
      void world.tell?.(entry, stage);
    });
  }

  /** 503 and Retry-After: whether anything was done, it does not say. */
  function askForTime({ request, worker }: Arrival): Answer {
    options.happen("a system asked for time");
    const { binding, fence } = request;
    const { operationId } = binding;
    const atMs = clock.nowMs();
    askedForTime.push({ worker, operationId, fence, atMs, retryAfterMs: askedForMs });
    return { kind: "noAnswer", reason: "503", retryAfterMs: askedForMs };
  }

  async function lookUp(
    { apiVersion, contract, provider }: Pick<Arrival, "apiVersion" | "contract" | "provider">,
    request: LookupRequest,
  ): Promise<LookupVerdict> {
    await clock.sleep(options.latencyMs());
    const nowMs = clock.nowMs();
    if (options.lookupFails(provider)) return { kind: "inconclusive", reason: "503" };
    const done = [...copies, ...applied].filter((entry) => isOf(entry, provider, request));
    const here = done.filter((entry) => entry.apiVersion === apiVersion);
    const shown = here.filter(
      (entry) => contract.lookup?.consistency === "strong" || entry.visibleAtMs <= nowMs,
    );
    if (shown.length < here.length) options.happen("a search lagged behind");
    if (here.length < done.length) options.happen("a look-up was made at another address");
    if (shown.some((entry) => copies.includes(entry)))
      options.happen("a look-up showed something that somebody else had made");
    await clock.sleep(options.latencyMs());
    // In no order that means anything.
    const [found, ...others] = nowMs % 2 === 0 ? shown : shown.toReversed();
    if (found === undefined) return { kind: "absent" };
    return { kind: "found", receipt: receiptOf(found), others: others.map(receiptOf) };
  }

  const world: Systems = {
    received,
    applied,
    answered,
    askedForTime,
    tell: undefined,
    isTelling: () => untold > 0,
    connect: (name, contract, { apiVersion, id: worker, revision }) => ({
      name,
      apiVersion,
      contract,
      accountOf: (tenantId) => tenantId,
      report: ({ data }) => reportIn(data),
      send(request) {
        if (request.payload["revision"] !== undefined && request.payload["revision"] !== revision)
          options.happen("an older revision's plan was carried on");
        if (request.payload["undo"] !== undefined) options.happen("something was made good");
        const asked = { provider: name, apiVersion, contract, worker };
        const sent = { ...asked, request: structuredClone(request) };
        const fault = options.callFault({ provider: name, request });
        return carryOut({ ...sent, sentAtMs: clock.nowMs() }, fault);
      },
      ...(contract.lookup === undefined
        ? {}
        : {
            lookup: (request: LookupRequest) =>
              lookUp({ provider: name, apiVersion, contract }, request),
          }),
    }),
  };
  return world;
}

function isOf(entry: Applied, provider: string, { binding }: LookupRequest): boolean {
  return entry.provider === provider && entry.operationId === binding.operationId;
}

function intentOf({ request }: Arrival) {
  const { action, account, payload } = request;
  const { operationId, target } = request.binding;
  return { tenantId: account, operationId, action, target, payload };
}

/** What a system's webhook says: the amount that it took, or that it was about something else. */
const Told = z.object({
  caseKey: z.string(),
  operationId: z.string(),
  providerKey: z.string().optional(),
  providerId: z.string(),
  target: z.string(),
  echoed: z.record(z.string(), z.string()),
  stage: Receipt.shape.stage,
});

export function toldOf(entry: AppliedHere, stage: Telling["stage"]): z.infer<typeof Told> {
  const { action, payload } = entry;
  const { amount, of } = payload;
  const echoed = {
    ...(typeof of === "string" ? { of } : {}),
    ...(typeof amount === "string" && !isSensitive(action) ? { amount } : {}),
  };
  return { ...entry, echoed, stage };
}

/** A system that was called under a key repeats the key and nothing else. */
function reportIn(data: unknown): ProviderReport {
  const { caseKey, operationId, providerKey, ...told } = Told.parse(data);
  const about =
    providerKey === undefined
      ? ({ kind: "operation", caseKey, operationId } as const)
      : ({ kind: "providerKey", providerKey } as const);
  return { ...told, about };
}

/** What the system says it did, never what it was asked. */
export function receiptOf(entry: Applied): Receipt {
  const { action, operationId, payload, providerId, target } = entry;
  return {
    stage: "accepted",
    providerId,
    boundTo: { operationId, target, payloadDigest: frozenDigestOf(action, payload) },
    // As many systems do.
    content: { asked: canonicalJson(payload) },
  };
}
