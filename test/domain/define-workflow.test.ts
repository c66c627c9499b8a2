// A workflow that is written in its own types: what the compiler refuses, and what the typed front does for its team.
import { expect, test } from "vitest";
import { z } from "zod";
import { defineWorkflow } from "../../shared/domain/define-workflow.ts";
import type { DecideContext } from "../../shared/domain/definitions.ts";
import { event } from "./situations.ts";

const facts = z.object({ order: z.string(), amount: z.number().optional() });
const spec = {
  type: "order",
  revision: 1,
  facts,
  statuses: { open: { final: false }, done: { final: true } },
  initialStatus: "open",
  actions: ["shop.ship.v1"],
  events: {
    placed: z.object({ order: z.string(), amount: z.number().optional() }),
    closed: z.object({ order: z.string() }),
  },
  externalRefOf: ({ order }: { order: string }) => order,
  fold: (
    known: Partial<z.infer<typeof facts>>,
    { data }: { type: string; data: z.infer<typeof facts> },
  ) => ({ ...known, ...data }),
  decide: () => ({ kind: "wait" as const, why: "" }),
} as const;
const order = defineWorkflow(spec);
const context: DecideContext = {
  memo: (_name, _schema, compute) => compute(),
  signal: new AbortController().signal,
};
const told = (data: object, eventType = "placed") => ({
  ...event(1, { type: eventType, data: JSON.parse(JSON.stringify(data)) }),
  eventType,
});
const nothing = { kind: "plan", why: "", actions: [], notifications: [] } as const;

test("the compiler refuses a status, an action and a kind of fact that are not there", () => {
  const wrong = [
    // @ts-expect-error: no such status
    defineWorkflow({ ...spec, initialStatus: "opened" }),
    // @ts-expect-error: no such status
    defineWorkflow({ ...spec, decide: () => ({ ...nothing, nextStatus: "finished" }) }),
    defineWorkflow({
      ...spec,
      // @ts-expect-error: no such action
      decide: () => ({
        ...nothing,
        nextStatus: "done",
        actions: [{ action: "shop.shop.v1", target: "", payload: {} }],
      }),
    }),
    // @ts-expect-error: a date is no JSON
    defineWorkflow({ ...spec, facts: z.object({ order: z.string(), at: z.date() }) }),
  ];
  expect(wrong).toHaveLength(4);
});

test("an event is folded through its own schema, and one that nobody declared is ignored", () => {
  const options = { older: false };
  expect(order.fold({}, told({ order: "O-1", more: 1 }), options)).toEqual({ order: "O-1" });
  expect(order.fold({}, told({ order: "O-1" }, "moved"), options)).toBe("ignored");
  expect(() => order.fold({}, told({ order: 1 }), options)).toThrow(z.ZodError);
});

test("a fact that is undefined is not there", () => {
  const folding = defineWorkflow({
    ...spec,
    fold: (_known, { data }) => ({ ...data, amount: undefined }),
  });
  const folded = folding.fold({}, told({ order: "O-1", amount: 3 }), { older: false });
  expect(Object.keys(folded)).toEqual(["order"]);
});

test("a decider gets the facts in their own type, or none at all", async () => {
  const asking = defineWorkflow({
    ...spec,
    decide: ({ facts: known }) => ({ kind: "wait", why: known.order.toLowerCase() }),
  });
  const view = { status: "open", version: 1, effects: [] };
  expect(await asking.decide({ ...view, facts: { order: "O-1" } }, context)).toEqual({
    kind: "wait",
    why: "o-1",
  });
  expect(() => asking.decide({ ...view, facts: { order: 1 } }, context)).toThrow(z.ZodError);
});
