// Situations that the domain tests start from: a book of one workflow, and snapshots in each state.
import { z } from "zod";
import type { Contract } from "../../shared/domain/contract.ts";
import { bookOf } from "../../shared/domain/book-of.ts";
import {
  defineAction,
  type Book,
  type Decision,
  type Provider,
  type Workflow,
} from "../../shared/domain/definitions.ts";
import {
  payloadKeys,
  sealingKeyBytes,
  type PayloadKeys,
} from "../../shared/domain/payload-keys.ts";
import type { Answer, Receipt } from "../../shared/domain/records/evidence.ts";
import type { Effect } from "../../shared/domain/records/effect.ts";
import type { Event } from "../../shared/domain/records/inbox.ts";
import { emptySnapshot, effectOf, type Snapshot } from "../../shared/domain/records/snapshot.ts";
import { settleAttempt } from "../../shared/domain/transitions/attempt.ts";
import { claim } from "../../shared/domain/transitions/claim.ts";
import { applyDecision } from "../../shared/domain/transitions/decide.ts";
import { foldEvent } from "../../shared/domain/transitions/fold-event.ts";

export const nowMs = Date.parse("2026-11-29T12:00:00Z");
export const callTimeoutMs = 10_000;
export const key = { tenantId: "acme", caseId: "a".repeat(26) };

export const keyContract: Contract = {
  revision: 1,
  idempotency: {
    keyHeader: "Idempotency-Key",
    keyAlphabet: "A-Za-z0-9-",
    keyLengthMax: 64,
    retentionMs: 24 * 3_600_000,
    marginMs: 15 * 60_000,
    storesErrors: false,
  },
  horizonMs: 60_000,
  callTimeoutMs,
  consequence: "A second credit note would be issued.",
};

export const noContract: Contract = {
  revision: 1,
  horizonMs: 60_000,
  callTimeoutMs,
  consequence: "The person would be told twice.",
};

function provider(name: string, contract: Contract): Provider {
  return {
    name,
    apiVersion: "v1",
    contract,
    accountOf: (tenantId) => tenantId,
    send: () => Promise.reject(new Error("domain tests send nothing")),
  };
}

const payload = z.record(z.string(), z.unknown());

/** The newest first; all share one deployment key, as the revisions of one deployment do. */
export function keysNamed(...ids: readonly [string, ...string[]]): PayloadKeys {
  const [newest, ...older] = ids.map((id) => ({ id, bytes: Buffer.alloc(sealingKeyBytes, id) }));
  if (newest === undefined) throw new Error("no key");
  const deploymentKey = Buffer.from("the deployment key of the tests");
  return payloadKeys({ deploymentKey, sealing: [newest, ...older] });
}

type Plan = Decision & { kind: "plan" };

/** A plan that closes the case and tells nobody, if nothing else is said. */
export const planOf = (actions: Plan["actions"], change: Partial<Plan> = {}): Plan => ({
  kind: "plan",
  why: "test",
  actions,
  nextStatus: "done",
  notifications: [],
  ...change,
});

export const planOfTwo: Decision = {
  kind: "plan",
  why: "test",
  actions: [
    { action: "keyed.first.v1", target: "T-1", payload: { amount: "50.00" } },
    { action: "keyed.second.v1", target: "T-1", payload: { state: "marked" } },
  ],
  nextStatus: "done",
  notifications: [{ action: "mail.tell.v1", target: "a@example.org", payload: { text: "done" } }],
};

export function bookWith(
  decide: Workflow["decide"] = () => planOfTwo,
  options: {
    approve?: readonly string[];
    /** By tenant, actions that ask there. */
    approvals?: Readonly<Record<string, readonly string[]>>;
    sensitive?: readonly string[];
    refresh?: Workflow["refresh"];
  } = {},
): Book {
  const action = (name: string, providerName: string) =>
    defineAction({
      name,
      payload,
      provider: providerName,
      consequence: "once",
      autonomy: options.approve?.includes(name) ? "approve" : "auto",
      sensitive: options.sensitive?.includes(name) === true,
    });
  const workflow: Workflow = {
    type: "test-flow",
    revision: 1,
    facts: z.record(z.string(), z.json()),
    initialStatus: "open",
    statuses: { open: { final: false }, done: { final: true } },
    events: { told: payload },
    externalRefOf: () => "R-1",
    fold: (facts, event, { older }) => {
      const told = event.body as Record<string, never>;
      return older ? { ...told, ...facts } : { ...facts, ...told };
    },
    decide,
    ...(options.refresh === undefined ? {} : { refresh: options.refresh }),
  };
  return bookOf({
    workflows: [workflow],
    actions: [
      action("keyed.first.v1", "keyed"),
      action("keyed.second.v1", "keyed"),
      action("bare.first.v1", "bare"),
      action("mail.tell.v1", "bare"),
    ],
    providers: [provider("keyed", keyContract), provider("bare", noContract)],
    payloadKeys: keysNamed("k1"),
    approvals: options.approvals ?? {},
  });
}

export const book = bookWith();

export function event(
  n: number,
  body: Event["body"] = { n },
  orderKey = `2026-11-29T11:00:0${n}Z`,
): Event {
  return {
    id: `event:src:e${n}`,
    type: "event",
    schemaVersion: 1,
    ...key,
    source: "src",
    eventId: `e${n}`,
    eventType: "told",
    workflow: "test-flow",
    externalRef: "R-1",
    body,
    digest: "d".repeat(64),
    orderKey,
    receivedAtMs: nowMs,
    dueAtMs: nowMs + 15_000,
  };
}

export function withEvent(snapshot: Snapshot, arrived: Event): Snapshot {
  return { ...snapshot, events: [...snapshot.events, arrived] };
}

/** A case at version 1 with its facts, undecided. */
export function openedCase(): Snapshot {
  return foldEvent(withEvent(emptySnapshot(key), event(1)), "event:src:e1", { book, nowMs });
}

/** The plan's two effects prepared. */
export function plannedCase(decision: Decision = planOfTwo): Snapshot {
  return applyDecision(openedCase(), decision, { book, nowMs });
}

export function firstOf(snapshot: Snapshot): Effect {
  const [first] = snapshot.effects;
  if (first === undefined) throw new Error("no effect");
  return first;
}

/** The first effect that is prepared or unknown is claimed; the store wrote it at `atMs`. */
export function claimedCase(from: Snapshot = plannedCase(), atMs: number = nowMs): Snapshot {
  const open = from.effects.find(({ status }) => status === "prepared" || status === "unknown");
  const operationId = open?.operationId ?? "";
  const provider = book.provider(open?.provider ?? "");
  if (provider === undefined) throw new Error("nothing to claim");
  const claimed = claim(from, operationId, { provider, grantRef: "grant:1", nowMs: atMs });
  return { ...claimed, writtenAtMs: { ...claimed.writtenAtMs, [operationId]: atMs } };
}

export function receiptFor(effect: Effect, providerId = "P-1"): Receipt {
  const { operationId, target, payloadDigest } = effect;
  return {
    stage: "accepted",
    providerId,
    boundTo: { operationId, target, payloadDigest },
    content: {},
  };
}

/** The claimed effect's own worker settles it. */
export function settled(
  from: Snapshot,
  answer: Answer | "receipt",
  atMs: number = nowMs,
): Snapshot {
  const current = from.case?.claim;
  if (current === undefined) throw new Error("nothing is claimed");
  const effect = effectOf(from, current.operationId);
  return settleAttempt(from, {
    operationId: current.operationId,
    attempt: current.attempt,
    answer: answer === "receipt" ? { kind: "receipt", receipt: receiptFor(effect) } : answer,
    settledBy: "attempt",
    book,
    nowMs: atMs,
    deadlineMs: atMs + 1000 + callTimeoutMs,
  });
}
