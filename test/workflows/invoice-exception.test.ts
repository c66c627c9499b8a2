import { describe, expect, test } from "vitest";
import type { z } from "zod";
import { bookOf } from "../../shared/domain/book-of.ts";
import type { DecideContext, EffectView } from "../../shared/domain/definitions.ts";
import type { Event } from "../../shared/domain/records/inbox.ts";
import { email, emailActions } from "../../shared/providers/email.ts";
import { portalActions, supplierPortal } from "../../shared/providers/supplier-portal.ts";
import { invoiceException } from "../../shared/workflows/invoice-exception/invoice-exception.ts";
import { event } from "../domain/situations.ts";
import { newWorld } from "../flow/world.ts";

/** The rules ask nobody. */
const noContext: DecideContext = {
  memo: (_name, _schema, compute) => compute(),
  signal: new AbortController().signal,
};

const facts = {
  invoice: "INV-1",
  supplier: "Contoso Paper",
  supplierAccount: "SUP-1",
  currency: "EUR",
  billed: "1249.10",
  ordered: "1199.00",
  reason: "price_variance",
  accountOwnerEmail: "owner@example.org",
};
const decide = (change: object, effects: EffectView[] = []) =>
  invoiceException.decide(
    { facts: { ...facts, ...change }, status: "open", version: 1, effects },
    noContext,
  );

describe("an invoice billed above its order", () => {
  test("asks for a credit note of exactly the difference, marks the invoice, and tells its owner", () => {
    expect(decide({})).toMatchObject({
      kind: "plan",
      nextStatus: "credit_requested",
      actions: [
        { action: "portal.request_credit_note.v1", target: "INV-1", payload: { amount: "50.10" } },
        {
          action: "portal.mark_invoice.v1",
          target: "INV-1",
          payload: { state: "credit_requested" },
        },
      ],
      notifications: [{ target: "owner@example.org" }],
    });
  });

  test.each([
    ["1199.00", "approved"],
    ["1100.00", "approved"],
    ["1210.99", "approved_within_tolerance"],
  ])("at %s is only marked %s", (billed, state) => {
    expect(decide({ billed })).toMatchObject({
      nextStatus: "approved",
      actions: [{ action: "portal.mark_invoice.v1", payload: { state } }],
      notifications: [],
    });
  });

  test.each([
    ["without a purchase order", { reason: "missing_purchase_order" }],
    ["far above the limit", { billed: "11199.01" }],
  ])("%s is for a person", (_what, change) => {
    expect(decide(change)).toMatchObject({ kind: "hold" });
  });

  test("that was withdrawn ends without an effect", () => {
    expect(decide({ withdrawn: true })).toMatchObject({ nextStatus: "withdrawn", actions: [] });
  });

  test.each(["started", "unknown", "confirmed", "rejected"] as const)(
    "with a credit note that is %s is for a person, and never asked for again",
    (status) => {
      const earlier: EffectView = {
        operationId: "o",
        action: "portal.request_credit_note.v1",
        target: "INV-1",
        payload: {},
        status,
        origin: "plan",
      };
      expect(decide({}, [earlier])).toMatchObject({ kind: "hold" });
    },
  );
});

test("an amendment that overtook its exception waits for it", () => {
  const early = { invoice: "INV-1", ordered: "1200.00" };
  expect(
    invoiceException.decide({ facts: early, status: "open", version: 1, effects: [] }, noContext),
  ).toMatchObject({
    kind: "wait",
  });
});

describe("a withdrawal that overtakes its exception", () => {
  const portal = { baseUrl: "http://127.0.0.1:1", token: "t" };
  const book = bookOf({
    workflows: [invoiceException],
    actions: [...portalActions, ...emailActions],
    providers: [supplierPortal(portal), email({ ...portal, from: "ap@example.org" })],
    payloadKeys: newWorld().book.payloadKeys,
  });

  function told(n: number, eventType: string, data: Event["body"]): Event {
    const timestamp = `2026-11-29T11:00:0${n}Z`;
    const body = { type: eventType, timestamp, data: data as z.core.util.JSONType };
    const workflow = invoiceException.type;
    return { ...event(n, body, timestamp), eventType, workflow };
  }

  test("ends the case at once; the exception, when it comes, fills in the facts, sends nothing, and is a person's", async () => {
    const world = newWorld();
    const worker = world.worker({ book });
    await world.cases.createEvent(told(2, "invoice.exception.withdrawn", { invoice: "INV-1" }));
    await world.turn(worker);
    expect(await world.record()).toMatchObject({ status: "withdrawn" });
    expect(await world.reviews()).toEqual([]);
    await world.cases.createEvent(told(1, "invoice.exception.raised", facts));
    await world.turn(worker);
    await world.run(worker);
    expect(await world.record()).toMatchObject({
      status: "withdrawn",
      facts: { withdrawn: true, billed: "1249.10" },
    });
    expect(await world.effects()).toEqual([]);
    expect((await world.reviews()).map(({ kind, why }) => [kind, why])).toEqual([
      ["FactsChangedAfterEnd", expect.stringContaining("invoice.exception.raised")],
    ]);
  });

  test("that is told again, or whose exception is told again, changes nothing more", async () => {
    const world = newWorld();
    const worker = world.worker({ book });
    await world.cases.createEvent(told(2, "invoice.exception.withdrawn", { invoice: "INV-1" }));
    await world.cases.createEvent(told(1, "invoice.exception.raised", facts));
    await world.turn(worker);
    const before = await world.record();
    expect(before.status).toBe("withdrawn");
    await world.cases.createEvent(told(3, "invoice.exception.withdrawn", { invoice: "INV-1" }));
    await world.cases.createEvent(told(0, "invoice.exception.raised", facts));
    await world.turn(worker);
    expect(await world.record()).toMatchObject({ status: "withdrawn", version: before.version });
    expect([await world.effects(), await world.reviews()]).toEqual([[], []]);
  });
});

test("a claim that a person just refused is not asked for again: the case is held", () => {
  const view = { facts, status: "open", version: 2, effects: [], refusedBy: "p-1" };
  expect(invoiceException.decide(view, noContext)).toMatchObject({
    kind: "hold",
    why: expect.stringContaining("p-1 refused"),
  });
});
