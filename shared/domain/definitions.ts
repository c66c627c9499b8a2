// What a team writes: actions, providers and workflows (design.md 8). The rest of the app is generic. shared/workflows/README.md
// goes through one of each.
//
//   an action     a versioned kind of effect: payload schema, provider, consequence, autonomy
//   a provider    one external system: its contract as data, and how to send
//   a workflow    pure code for one kind of case: fold events into facts, decide
//
// `autonomy` is "approve" unless a team has reason to trust an action: begin with one
// consequential action, expand on evidence.
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
  /** One sentence for the operator: what doing it twice would mean. */
  consequence: string;
  autonomy: "approve" | "auto";
  /** Its payload is kept apart and encrypted: never in the ledger, a review, a log, or a feed. */
  sensitive?: boolean;
  /** How long a person's approval may be asked for and relied on; absent: three days. */
  approvalMs?: number;
}

export function defineAction(
  action: Omit<Action, "autonomy"> & { autonomy?: Action["autonomy"] },
): Action {
  return { ...action, autonomy: action.autonomy ?? "approve" };
}

/** One call, with the bytes that were frozen and the time that it may take at most. */
export interface SendRequest {
  action: string;
  account: string;
  binding: Binding;
  /** Absent when the contract has no key. */
  providerKey?: string;
  payload: Readonly<Record<string, unknown>>;
  /** For adapters whose provider can echo it: how its own webhook finds the case again. */
  caseKey?: string;
  fence: number;
  timeoutMs: number;
}

/** A provider's own webhook about one operation of ours. */
export interface ProviderReport {
  /** Which one: by what the provider echoes of the request, or by nothing but the key that it was sent under. */
  about: ReportSubject;
  providerId: string;
  stage: Receipt["stage"];
  /** Whom it says it was for, where it says so: must be the effect's own target. */
  target?: string;
  /** Fields of the payload, where it repeats them: must be those that were sent. */
  echoed?: Readonly<Record<string, string>>;
}

export type LookupRequest = Omit<SendRequest, "fence">;

export interface Provider {
  name: string;
  /** With its address: what is known under a key, or is not there, is so at that place only. */
  apiVersion: string;
  contract: Contract;
  /** The provider's account that a tenant's effects go to: part of a key's scope. Where keys are kept by credential, the credential's name. */
  accountOf(tenantId: string): string;
  /** Never throws, and never settles before its socket is closed or its answer is read. */
  send(request: SendRequest): Promise<Answer>;
  /** Reads the provider's webhook; undefined when it names no operation of ours. */
  report?(body: {
    type: string;
    data: Readonly<Record<string, unknown>>;
  }): ProviderReport | undefined;
  /** Present exactly when the contract has a look-up. Never throws. */
  lookup?(request: LookupRequest): Promise<LookupVerdict>;
}

export type Facts = Readonly<Record<string, z.core.util.JSONType>>;

/** Brings facts of the revision before to its own. Pure; throws when they are none of the revision before. */
export type Upcaster = (facts: Facts) => Facts;

/** `from` is the schema that the facts had: it types the step, and names the field of facts that never fitted it. */
export function defineUpcaster<Old>(from: z.ZodType<Old>, step: (facts: Old) => Facts): Upcaster {
  return (facts) => step(from.parse(facts));
}

/** What an earlier effect of this case came to; `decide` always sees all of them, without a sensitive payload. */
export type EffectView = Pick<
  Effect,
  "operationId" | "action" | "target" | "payload" | "status" | "origin" | "contradicted"
> & {
  /** Only what is confirmed has one; what its stage calls failed was accepted, and then failed at its goal. */
  receipt?: Pick<Receipt, "stage">;
};

export interface DecideView<Known = Facts, Status extends string = string> {
  facts: Known;
  status: Status;
  version: number;
  effects: readonly EffectView[];
  /** Who refused the plan that was decided just before: nothing is new since, so the same question would be asked again. */
  refusedBy?: string;
}

/** What a decider may use that is not pure. */
export interface DecideContext {
  /**
   * The result of an expensive step, checkpointed under this case version and revision. It saves repeated calls and
   * decides nothing. Names are [a-z0-9-]{1,64}, each used once; the result is JSON that its own schema accepts again.
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
  /** Raised with every deploy that changes the facts' shape, or after which older code must not decide. */
  revision: number;
  facts: z.ZodType<Facts>;
  /** Revision -> the step that makes its facts; a revision without one has the shape of the one before. */
  upcasters?: Readonly<Record<number, Upcaster>>;
  /** All that it may ask for: each must be registered, and needs a grant for this workflow. */
  actions?: readonly string[];
  initialStatus: string;
  statuses: Readonly<Record<string, { final: boolean }>>;
  /** Event type -> the schema of its data. */
  events: Readonly<Record<string, z.ZodType<Record<string, unknown>>>>;
  /** The business reference inside the data: with the tenant it names the case. */
  externalRefOf(data: Readonly<Record<string, unknown>>): string;
  /** New facts, or "ignored". `older`: something newer of this source was folded before. */
  fold(facts: Facts, event: Event, options: { older: boolean }): Facts | "ignored";
  /**
   * The open status in which a closed case goes on after its facts have changed; undefined leaves it closed, for a person to see.
   * Pure. What was done before stays done.
   */
  reopenAs?(closed: { before: Facts; after: Facts; status: string }): string | undefined;
  /** Reads the facts of record again, before an approval is taken; throws when they cannot be read. */
  refresh?(facts: Facts): Promise<Facts>;
  /** Throws a TransientFault when it must be asked again later: counted, with back-off, and held in the end. */
  decide(view: DecideView, context: DecideContext): Decision | Promise<Decision>;
}

/** Everything that is registered, by name. */
export interface Book {
  workflows: readonly Workflow[];
  workflow(type: string): Workflow | undefined;
  action(name: string): Action | undefined;
  provider(name: string): Provider | undefined;
  /** A person must say yes before it is sent: the action is made so, or this tenant wants it so. */
  asksFirst(tenantId: string, action: string): boolean;
  /** Present where an action is sensitive. */
  payloadKeys: PayloadKeys | undefined;
}

export interface Parts {
  workflows: readonly Workflow[];
  actions: readonly Action[];
  providers: readonly Provider[];
  payloadKeys?: PayloadKeys | undefined;
  /** By tenant, actions that ask there first; it takes no question away. */
  approvals?: Readonly<Record<string, readonly string[]>>;
}
