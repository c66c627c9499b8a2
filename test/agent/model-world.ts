// The invoice workflow with its model decider in a whole world on memory stores: the decider, the protocol and the calls to the
// model are real, time is virtual, and what the "supplier" applied is the end state.
import { z } from "zod";
import { openModel } from "../../shared/agent/ask-model.ts";
import { bookOf } from "../../shared/domain/book-of.ts";
import type { Checkpoint } from "../../shared/domain/records/checkpoint.ts";
import type { LogFields, TurnPorts } from "../../shared/flow/turn/turn.ts";
import { emailActions } from "../../shared/providers/email.ts";
import { portalActions } from "../../shared/providers/supplier-portal.ts";
import { decideByModel } from "../../shared/workflows/invoice-exception/decide-by-model.ts";
import { invoiceExceptionBy } from "../../shared/workflows/invoice-exception/invoice-exception.ts";
import { key, mortal, newWorld, turnUntilDeath } from "../flow/world.ts";

export const secretKey = "marker-of-the-key";

/** 50.10 above the order; one per cent of it is 11.99. */
export const invoice = {
  invoice: "INV-marker-1",
  supplier: "Marker Paper",
  supplierAccount: "SUP-marker",
  currency: "EUR",
  billed: "1249.10",
  ordered: "1199.00",
  reason: "price_variance",
  accountOwnerEmail: "marker-owner@example.org",
};

/** A proposal that may be taken as it is. */
export const claim = { option: "claim", amount: "40.00", note: "Forty of fifty is agreed." };

export function modelWorld(baseUrl: string, change: { callTimeoutMs?: number } = {}) {
  const world = newWorld();
  const settings = { model: "test-model", key: secretKey, callTimeoutMs: 20_000, repairsMax: 2 };
  const model = openModel({ ...settings, baseUrl, ...change });
  const actions = [...portalActions, ...emailActions];
  const book = bookOf({
    workflows: [
      {
        ...invoiceExceptionBy(decideByModel(model)),
        type: "test-flow",
        events: { told: z.looseObject({}) },
        fold: (facts, event) => ({ ...facts, ...(event.body as Record<string, never>) }),
      },
    ],
    actions: actions.map((action) => ({ ...action, provider: "keyed" })),
    providers: [world.keyed],
    payloadKeys: world.book.payloadKeys,
  });
  for (const { name } of actions) {
    world.grants.put({
      id: `grant:${name}`,
      type: "grant",
      schemaVersion: 1,
      tenantId: key.tenantId,
      subject: "test-flow",
      action: name,
      target: "*",
      limits: {},
      grantedBy: "test",
      grantedAtMs: 0,
    });
  }
  const logged: string[] = [];
  const take = (message: string, fields: LogFields) =>
    void logged.push(`${message} ${JSON.stringify(fields)}`);
  const ports = { book, log: { info: take, warn: take, error: take } };
  const worker = (more: Partial<TurnPorts> = {}) => world.worker({ ...ports, ...more });
  return {
    ...world,
    logged,
    worker,
    async tell(n: number, facts: Partial<typeof invoice> = invoice): Promise<void> {
      await world.post(n, facts);
    },
    run: (forMs?: number) => world.run(worker(), forMs),
    /** A worker that dies there; its message comes back. */
    dieAt: (boundary: string, when: "before" | "after" = "before") =>
      turnUntilDeath(world, mortal(world, { boundary, when }, ports)),
    /** Action and payload of what the supplier's side has applied. */
    applied: () => world.keyed.applied.map(({ action, payload }) => ({ action, payload })),
    plant(value: Checkpoint["value"]): void {
      const checkpoint: Checkpoint = {
        id: "checkpoint:1:proposal",
        type: "checkpoint",
        schemaVersion: 1,
        ...key,
        version: 1,
        name: "proposal",
        workflow: { type: "test-flow", revision: 1 },
        value,
        ttl: 60,
      };
      world.cases.plant(key, checkpoint);
    },
  };
}
