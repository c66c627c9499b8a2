// What a team writes: actions, providers and workflows (design.md 8). The rest of the app is generic. shared/workflows/README.md
// shows one of each.
//
//   an action     a versioned kind of effect: payload schema, provider, consequence, autonomy
//   a provider    one external system: its contract as data, how to send, how to look up
//   a workflow    code for one kind of case: fold events into facts (pure), decide
//
// `autonomy` is "approve" unless a team has reason to trust an action: "expand autonomy only after the evidence" (seed 2).
import type { z } from "zod";
import type { Contract } from "./contract.ts";
import type { PayloadKeys } from "./payload-keys.ts";
import type { ActionRequest } from "./records/case.ts";
import type { Answer, Binding, LookupVerdict, Receipt } from "./records/evidence.ts";
import type { Effect } from "./records/effect.ts";
import type { Event } from "./records/inbox.ts";
import type { ReportSubject } from "./records/report.ts";

export interface Action {
  /** Versioned: `portal.request_credit_note.v1`. */
  name: string;
  payload: z.ZodType<Record<string, unknown>>;
  provider: string;
  /** One sentence for the operator: what it means if this is done twice. */
  consequence: string;
  autonomy: "approve" | "auto";
  /** Its payload is kept apart and encrypted: never in the ledger, a review, a log or the change feed. */
  sensitive?: boolean;
  /** How long after it was asked for an approval can be given and holds; absent: three days. */
  approvalMs?: number;
}

export function defineAction(
  action: Omit<Action, "autonomy"> & { autonomy?: Action["autonomy"] },
): Action {
  return { ...action, autonomy: action.autonomy ?? "approve" };
}

/** One call: the frozen payload, and the longest time that it may take. */
export interface SendRequest {
  action: string;
  account: string;
  binding: Binding;
  /** Absent when the contract has no key. */
  providerKey?: string;
  payload: Readonly<Record<string, unknown>>;
  /** For a provider that echoes it: its own webhook then finds the case by it. */
  caseKey?: string;
  fence: number;
  timeoutMs: number;
}

/** A provider's own webhook about one operation of ours. */
export interface ProviderReport {
  /** Which operation: by the case key that the provider echoes, or by the key that the request was sent under. */
  about: ReportSubject;
  providerId: string;
  stage: Receipt["stage"];
  /** If the report names a target, it must be the effect's own. */
  target?: string;
  /** Fields of the payload that the report repeats: they must be those that were sent. */
  echoed?: Readonly<Record<string, string>>;
}

export type LookupRequest = Omit<SendRequest, "fence">;

export interface Provider {
  name: string;
  /** Includes the address: a key, or an absence, means something at that address only. */
  apiVersion: string;
  contract: Contract;
  /** The provider's account that a tenant's effects go to: part of a key's scope. Where keys are kept by credential, the credential's name. */
  accountOf(tenantId: string): string;
  /** Never throws. Settles only when the answer has been read or the socket is closed. */
  send(request: SendRequest): Promise<Answer>;
  /** Parses the provider's webhook; undefined when it names no operation of ours. */
  report?(body: {
    type: string;
    data: Readonly<Record<string, unknown>>;
  }): ProviderReport | undefined;
  /** Present exactly when the contract has a look-up. Never throws. */
  lookup?(request: LookupRequest): Promise<LookupVerdict>;
}

export type Facts = Readonly<Record<string, z.core.util.JSONType>>;

/** Brings facts of the revision before to its own. Pure; throws for facts that the revision before does not allow. */
export type Upcaster = (facts: Facts) => Facts;

/** `from` is the schema that the facts had: it types the step, and its error names the field of facts that do not fit it. */
export function defineUpcaster<Old>(from: z.ZodType<Old>, step: (facts: Old) => Facts): Upcaster {
  return (facts) => step(from.parse(facts));
}

/** An earlier effect of this case and what became of it. `decide` sees all of them, without sensitive payloads. */
export type EffectView = Pick<
  Effect,
  "operationId" | "action" | "target" | "payload" | "status" | "origin" | "contradicted"
> & {
  /** Only a confirmed effect has one. Stage `failed`: it was accepted, and then failed at its goal. */
  receipt?: Pick<Receipt, "stage">;
};

export interface DecideView<Known = Facts, Status extends string = string> {
  facts: Known;
  status: Status;
  version: number;
  effects: readonly EffectView[];
  /** Who refused the plan decided just before this. Nothing is new since: the same plan would ask the same question again. */
  refusedBy?: string;
}

/** What a decider may use that is not pure. */
export interface DecideContext {
  /**
   * The result of an expensive step, checkpointed under this case version and revision, so that a crash repeats no call. Each
   * name is [a-z0-9-]{1,64} and used once. The result must be JSON that `schema` accepts again.
   */
  memo<T>(name: string, schema: z.ZodType<T>, compute: () => Promise<T>): Promise<T>;
  /** Aborts when the turn's time is up. */
  readonly signal: AbortSignal;
}

type Requested<Name extends string> = Omit<ActionRequest, "action"> & { action: Name };

export type Decision<Status extends string = string, Name extends string = string> =
  | {
      kind: "plan";
      why: string;
      actions: readonly Requested<Name>[];
      nextStatus: Status;
      notifications: readonly Requested<Name>[];
    }
  /** Nothing to do until something new arrives. */
  | { kind: "wait"; why: string }
  /** A person must look. */
  | { kind: "hold"; why: string };

export interface Workflow {
  type: string;
  /** Raise it with each change of the facts' shape, and with each after which older code must not decide. */
  revision: number;
  facts: z.ZodType<Facts>;
  /** Revision -> the step that brings facts to it. A revision without a step has the shape of the one before. */
  upcasters?: Readonly<Record<number, Upcaster>>;
  /** Every action that it may ask for. Each must be registered, and needs a grant for this workflow. */
  actions?: readonly string[];
  initialStatus: string;
  statuses: Readonly<Record<string, { final: boolean }>>;
  /** Event type -> the schema of its data. */
  events: Readonly<Record<string, z.ZodType<Record<string, unknown>>>>;
  /** The business reference in an event's data; with the tenant it names the case. */
  externalRefOf(data: Readonly<Record<string, unknown>>): string;
  /** New facts, or "ignored". Pure. `older`: something newer from this source was folded before. */
  fold(facts: Facts, event: Event, options: { older: boolean }): Facts | "ignored";
  /**
   * The open status in which a closed case goes on after its facts have changed; undefined leaves it closed, under a review. Pure.
   * What was done before stays done.
   */
  reopenAs?(closed: { before: Facts; after: Facts; status: string }): string | undefined;
  /** Reads the facts of record again before an approval is taken (seed 1, Break 5). Throws when they cannot be read. */
  refresh?(facts: Facts): Promise<Facts>;
  /** May throw a TransientFault: it is then asked again with back-off, and after eight times the case is held. */
  decide(view: DecideView, context: DecideContext): Decision | Promise<Decision>;
}

/** The registry: everything that is registered, by name. */
export interface Book {
  workflows: readonly Workflow[];
  workflow(type: string): Workflow | undefined;
  action(name: string): Action | undefined;
  provider(name: string): Provider | undefined;
  /** Whether an approval comes before this action: its `autonomy`, or a setting of this tenant, says so. */
  asksFirst(tenantId: string, action: string): boolean;
  /** Present if any action is sensitive. */
  payloadKeys: PayloadKeys | undefined;
}

export interface Parts {
  workflows: readonly Workflow[];
  actions: readonly Action[];
  providers: readonly Provider[];
  payloadKeys?: PayloadKeys | undefined;
  /** Tenant -> actions that need an approval there, beside those that always do. */
  approvals?: Readonly<Record<string, readonly string[]>>;
}
