// The typed way to write a workflow: a mistake that types can find is found by the compiler, and not by a case at night.
//
//   facts and events   `fold` and `decide` get them in their own types, parsed by their own schemas each time
//   statuses           `initialStatus` and every plan's `nextStatus` must be one of them
//   actions            a decision can ask for no other; at start-up each must be registered
//
// A stored event that no longer fits its schema throws here, and the turn parks the case.
import type { z } from "zod";
import type {
  DecideContext,
  DecideView,
  Decision,
  Facts,
  Upcaster,
  Workflow,
} from "./definitions.ts";

/** What a document can hold; the compiler refuses a Date or a bigint. */
type Json =
  | string
  | number
  | boolean
  | null
  | undefined
  | readonly Json[]
  | { readonly [field: string]: Json };
type JsonObject = { readonly [field: string]: Json };

type Told<Events> = {
  [Type in keyof Events]: { type: Type; data: Events[Type] };
}[keyof Events];

export interface WorkflowSpec<
  Known extends JsonObject,
  Status extends string,
  ActionName extends string,
  Events extends Record<string, JsonObject>,
> {
  type: string;
  /** Raise it with each change of the facts' shape, and with each after which older code must not decide. */
  revision: number;
  facts: z.ZodType<Known>;
  upcasters?: Readonly<Record<number, Upcaster>>;
  statuses: Readonly<Record<Status, { final: boolean }>>;
  initialStatus: NoInfer<Status>;
  actions: readonly ActionName[];
  events: { readonly [Type in keyof Events]: z.ZodType<Events[Type]> };
  /** The business reference in an event's data; with the tenant it names the case. */
  externalRefOf(data: Events[keyof Events]): string;
  /** New facts, or "ignored". Pure. `older`: something newer from this source was folded before. */
  fold(
    facts: Partial<NoInfer<Known>>,
    told: Told<Events>,
    options: { older: boolean },
  ): NoInfer<Known> | "ignored";
  /** The open status in which a closed case goes on after its facts have changed; undefined: it stays closed. Pure. */
  reopenAs?(closed: {
    before: NoInfer<Known>;
    after: NoInfer<Known>;
    status: NoInfer<Status>;
  }): NoInfer<Status> | undefined;
  /** Reads the facts of record again before an approval is taken. Throws when they cannot be read. */
  refresh?(facts: NoInfer<Known>): Promise<NoInfer<Known>>;
  decide(
    view: DecideView<NoInfer<Known>, NoInfer<Status>>,
    context: DecideContext,
  ):
    | Decision<NoInfer<Status>, NoInfer<ActionName>>
    | Promise<Decision<NoInfer<Status>, NoInfer<ActionName>>>;
}

export function defineWorkflow<
  Known extends JsonObject,
  Status extends string,
  ActionName extends string,
  Events extends Record<string, JsonObject>,
>(spec: WorkflowSpec<Known, Status, ActionName, Events>): Workflow {
  const { decide, events, externalRefOf, facts, fold, refresh, reopenAs, ...rest } = spec;
  return {
    ...rest,
    facts: facts as unknown as z.ZodType<Facts>,
    events,
    externalRefOf: (data) => externalRefOf(data as Events[keyof Events]),
    fold(known, { body, eventType }, options) {
      if (!Object.hasOwn(events, eventType)) return "ignored";
      const type: keyof Events = eventType;
      const data = events[type].parse(body["data"]);
      const folded = fold(known as Partial<Known>, { type, data }, options);
      return folded === "ignored" ? folded : asJson(folded);
    },
    ...(reopenAs === undefined
      ? {}
      : {
          reopenAs: ({ after, before, status }) =>
            reopenAs({
              before: facts.parse(before),
              after: facts.parse(after),
              status: status as Status,
            }),
        }),
    ...(refresh === undefined
      ? {}
      : { refresh: async (known) => asJson(await refresh(facts.parse(known))) }),
    decide: (view, context) =>
      decide({ ...view, facts: facts.parse(view.facts), status: view.status as Status }, context),
  };
}

/** A field that is undefined is not there. */
function asJson(facts: JsonObject): Facts {
  return JSON.parse(JSON.stringify(facts)) as Facts;
}
