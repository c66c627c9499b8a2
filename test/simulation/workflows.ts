// The business of a simulated case: a plan over systems of each kind, then the people who must be told.
//
//   rest      asks only for what no earlier effect may have done, as a decider should
//   again     asks for everything each time: the protocol must hold it, not trust it
//   repeats   means to do everything again, and names what it repeats
//   hasty     would make good what was never confirmed
//
// Facts that say `recall` ask for the opposite: what was confirmed is made good, each by an action of its own.
import { z } from "zod";
import { bookOf } from "../../shared/domain/book-of.ts";
import {
  defineAction,
  type Book,
  type Decision,
  type DecideView,
  type Facts,
  type Provider,
  type Workflow,
} from "../../shared/domain/definitions.ts";
import { canonicalJson, digestOf } from "../../shared/domain/canonical-json.ts";
import type { PayloadKeys } from "../../shared/domain/payload-keys.ts";
import type { ActionRequest } from "../../shared/domain/records/case.ts";
import { systemKinds, type SystemKind } from "./contracts.ts";
import type { Happen } from "./happenings.ts";
import { everyKey } from "./keyring.ts";

export type Decider = "rest" | "again" | "repeats" | "hasty";

export interface Business {
  /** The contracts of the plan's effects, in their order. */
  plan: readonly SystemKind[];
  /** Which of them a person must approve, by their place. */
  asked?: readonly number[];
  notify: readonly SystemKind[];
  decider: Decider;
  /** Whether its decider asks a model, whose answer is a new one each time. */
  asksModel?: boolean;
  /** Facts that change after its end open the case again, and a person does not have to see them. */
  reopens?: boolean;
}

export const workflowType = "simulated";
/** Short enough that questions run out while a plan waits for its systems. */
export const approvalMs = 90_000;
const payload = z.record(z.string(), z.unknown());
const stepsMax = 3;

type ActionKind = "step" | "asked" | "undo" | "tell";
const actionOf = (kind: SystemKind, what: ActionKind, n = 0) => `${kind}.${what}${n}.v1`;
/** By its name, so that the auditor can tell, too. */
/** Of what would be done for more, each one is asked about first, whatever its action. */
const askAbove = 8;

export function asksFirst(action: string, { amount }: Readonly<Record<string, unknown>>): boolean {
  return needsPerson(action) || (isStep(action) && Number(amount) > askAbove);
}

const needsPerson = (action: string) => /\.(asked|undo)\d/.test(action);
const isStep = (action: string) => /\.(asked|step)\d/.test(action);

export const actionNames = systemKinds.flatMap((kind) => [
  ...Array.from({ length: stepsMax }, (_, n) => actionOf(kind, "step", n)),
  ...Array.from({ length: stepsMax }, (_, n) => actionOf(kind, "asked", n)),
  actionOf(kind, "undo"),
  actionOf(kind, "tell"),
]);

/** Who is told, and what, is kept apart and encrypted; so is what a plan's last step asks for. */
export const isSensitive = (action: string) => /\.(tell|step2|asked2)/.test(action);
/** What a sensitive payload says, and nobody else may: it stands in clear nowhere in the store. */
export const sealedNote = "for the addressee only";

/** What a business's plan asks for, and whom it tells by. */
export function plannedActions({ asked = [], notify, plan }: Business): string[] {
  return [
    ...plan.map((kind, n) => actionOf(kind, asked.includes(n) ? "asked" : "step", n)),
    ...notify.map((kind) => actionOf(kind, "tell")),
  ];
}

const actions = actionNames.map((name) =>
  defineAction({
    name,
    provider: name.split(".")[0] ?? "",
    payload,
    consequence: "It would be done twice.",
    autonomy: needsPerson(name) ? "approve" : "auto",
    approvalMs,
    sensitive: isSensitive(name),
  }),
);

/** A sensitive payload is known to the ledger by a keyed digest, and an adapter binds its receipt to that. */
export function frozenDigestOf(action: string, payload: Readonly<Record<string, unknown>>): string {
  return isSensitive(action)
    ? everyKey.digest(canonicalJson(payload))
    : digestOf(payload, "payload");
}

const facts = z.record(z.string(), z.json());

/** What the model said, under which revision and for which version, and that it never says the same twice. */
export const Advice = z.object({ revision: z.int(), version: z.int(), n: z.int() });
export type Advice = z.infer<typeof Advice>;

export interface BookOptions {
  business(caseId: string): Business;
  providers: readonly Provider[];
  payloadKeys: PayloadKeys;
  revision: number;
  happen: Happen;
  decided(caseId: string, made: { version: number; revision: number; decision: Decision }): void;
  /** One call of the model: takes its time, and may fail. */
  askModel(caseId: string, asked: { revision: number; version: number }): Promise<Advice>;
  /** The facts of record as the business has them now; throws when they cannot be read. */
  refresh(facts: Facts): Promise<Facts>;
}

export function simulatedBook(options: BookOptions): Book {
  const { revision } = options;
  const workflow: Workflow = {
    type: workflowType,
    revision,
    facts,
    initialStatus: "open",
    statuses: { open: { final: false }, done: { final: true } },
    events: { told: payload },
    externalRefOf: ({ ref }) => z.string().parse(ref),
    refresh: options.refresh,
    fold: (known, event, { older }) => {
      if (older) options.happen("an event was overtaken");
      const told = event.body as Record<string, never>;
      return older ? { ...told, ...known } : { ...known, ...told };
    },
    reopenAs: ({ after }) =>
      options.business(z.string().parse(after["caseId"])).reopens === true ? "open" : undefined,
    decide(view, context) {
      const caseId = textOf(view, "caseId");
      const business = options.business(caseId);
      const decided = (advice?: Advice): Decision => {
        const decision = decisionOf(business, view, { revision, advice });
        options.decided(caseId, { version: view.version, revision, decision });
        return decision;
      };
      if (business.asksModel !== true) return decided();
      const { version } = view;
      return context
        .memo("advice", Advice, () => options.askModel(caseId, { revision, version }))
        .then(decided);
    },
  };
  const { payloadKeys, providers } = options;
  return bookOf({ workflows: [workflow], actions, providers, payloadKeys });
}

/** What each payload says of the decision that it is from. */
interface Made {
  revision: number;
  advice: Advice | undefined;
}

function decisionOf(business: Business, view: DecideView, made: Made): Decision {
  const actions =
    view.facts["recall"] === true ? undoing(business, view, made) : doing(business, view, made);
  return {
    kind: "plan",
    why: business.decider,
    actions,
    nextStatus: "done",
    notifications: business.notify.map((kind, n) => ({
      action: actionOf(kind, "tell"),
      target: `owner${n}@example.org`,
      payload: sealed(actionOf(kind, "tell"), {
        text: `done at ${view.version}`,
        note: textOf(view, "note"),
      }),
    })),
  };
}

function doing(business: Business, view: DecideView, made: Made): ActionRequest[] {
  const { asked = [], decider, plan } = business;
  const wishes = plan.map((kind, n): ActionRequest => {
    const action = actionOf(kind, asked.includes(n) ? "asked" : "step", n);
    const money = { amount: `${textOf(view, "amount")}.00`, currency: "EUR" };
    return {
      action,
      target: `T-${textOf(view, "caseId")}`,
      payload: sealed(action, { step: n, ...money, ...said(view, made) }),
      ...(asksFirst(action, money) ? { asksFirst: true } : {}),
    };
  });
  const earlier = (wish: ActionRequest) => mayHaveDone(view, wish);
  switch (decider) {
    case "again":
      return wishes;
    case "rest":
    case "hasty":
      return wishes.filter((wish) => earlier(wish) === undefined);
    case "repeats":
      return wishes.map((wish) => {
        const repeats = earlier(wish);
        return repeats === undefined ? wish : { ...wish, repeats };
      });
  }
}

/** Each has its own rule, its own approval and its own target: the operation that it makes good. */
function undoing({ decider }: Business, view: DecideView, made: Made): ActionRequest[] {
  const steps = view.effects.filter(({ action }) => isStep(action));
  const confirmed = steps.filter(({ status }) => status === "confirmed");
  const unproved = steps.find(({ status }) => status !== "confirmed");
  const toUndo = decider === "hasty" && unproved !== undefined ? [unproved] : confirmed;
  return toUndo
    .map(({ action, operationId }): ActionRequest => ({
      action: actionOf(action.split(".")[0] as SystemKind, "undo"),
      target: operationId,
      payload: { undo: operationId, ...said(view, made) },
      compensates: operationId,
    }))
    .filter((wish) => decider === "again" || mayHaveDone(view, wish) === undefined);
}

function sealed(action: string, payload: ActionRequest["payload"]): ActionRequest["payload"] {
  return isSensitive(action) ? { ...payload, sealedNote } : payload;
}

function said(view: DecideView, { advice, revision }: Made): ActionRequest["payload"] {
  return { revision, note: textOf(view, "note"), ...(advice === undefined ? {} : { advice }) };
}

/** The last effect of the same kind on the same target that may have happened. */
function mayHaveDone(view: DecideView, wish: ActionRequest): string | undefined {
  return view.effects.findLast(
    ({ action, contradicted, status, target }) =>
      action === wish.action &&
      target === wish.target &&
      (contradicted !== undefined || status === "confirmed" || status === "unknown"),
  )?.operationId;
}

function textOf({ facts }: DecideView, name: string): string {
  const value = facts[name];
  if (typeof value !== "string" && typeof value !== "number") throw new Error(`no ${name}`);
  return String(value);
}
