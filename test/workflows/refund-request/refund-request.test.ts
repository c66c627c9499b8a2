// The example of shared/workflows/README.md: what a team asserts of its own workflow, provider and contract.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { digestOf } from "../../../shared/domain/canonical-json.ts";
import type { Facts, SendRequest } from "../../../shared/domain/definitions.ts";
import { email, emailActions } from "../../../shared/providers/email.ts";
import type { StandIn } from "../../crash/real/subject.ts";
import { testProvider, type Behaviour } from "../../flow/world.ts";
import { teamWorld, type Team } from "../team-world.ts";
import { cardPayments, refund } from "./card-payments.ts";
import { refundRequest } from "./refund-request.ts";
import { startPayments } from "./subjects.ts";

const nowhere = { baseUrl: "http://127.0.0.1:9", token: "test-token" };
const request = {
  order: "O-1",
  charge: "ch-1",
  amount: "25.00",
  currency: "EUR",
  customerEmail: "kim@example.org",
};

function newShop(change: Partial<Team> = {}) {
  const payments = testProvider(cardPayments(nowhere));
  const mail = testProvider(email({ ...nowhere, from: "shop@example.org" }));
  const team: Team = {
    workflow: refundRequest,
    actions: [refund, ...emailActions],
    providers: [payments, mail],
    ...change,
  };
  return { payments, mail, team, world: teamWorld(team) };
}

/** What the customer has been told, and what the payment provider has done. */
function seen({ mail, payments }: ReturnType<typeof newShop>) {
  return {
    refunded: payments.applied.map(({ payload }) => payload["amount"]),
    told: mail.applied.map(({ payload }) => payload["text"]),
  };
}

describe("a refund below the limit", () => {
  test("is made once, and the customer told once", async () => {
    const shop = newShop();
    await shop.world.tell("refund.requested", request);
    await shop.world.run();
    expect(await shop.world.record()).toMatchObject({ status: "refunded" });
    expect(seen(shop)).toEqual({ refunded: ["25.00"], told: ["We refunded 25.00 EUR."] });
  });

  test.each<[Behaviour, string]>([
    ["appliedAndDropped", "whose answer was lost"],
    ["swallowed", "that never arrived"],
    ["refusesConnection", "that could not be sent"],
  ])("(%s) %s is made once all the same", async (behaviour) => {
    const shop = newShop();
    shop.payments.script = [behaviour];
    await shop.world.tell("refund.requested", request);
    await shop.world.run();
    expect(seen(shop).refunded).toEqual(["25.00"]);
    expect(await shop.world.record()).toMatchObject({ status: "refunded" });
  });

  test("is made once by whoever comes after a worker that died just after sending it", async () => {
    const shop = newShop();
    await shop.world.tell("refund.requested", request);
    await shop.world.dieAt("send", "after");
    await shop.world.run();
    expect(seen(shop)).toEqual({ refunded: ["25.00"], told: ["We refunded 25.00 EUR."] });
  });

  test("that the provider cannot make is not made again: a person decides what it means", async () => {
    const shop = newShop();
    shop.payments.script = ["refuses"];
    await shop.world.tell("refund.requested", request);
    await shop.world.run();
    expect(await shop.world.record()).toMatchObject({ held: { reason: "DecisionHeld" } });
    expect(seen(shop)).toEqual({ refunded: [], told: [] });
  });

  test("without a grant is not made, and says what it waits for; the grant sets it going", async () => {
    const limited = { action: "payments.refund.v1", limits: { amount: "20.00" } };
    const shop = newShop({ grants: [limited, { action: "email.send_notification.v1" }] });
    await shop.world.tell("refund.requested", request);
    await shop.world.run(60_000);
    expect(seen(shop).refunded).toEqual([]);
    expect(await shop.world.reviews()).toMatchObject([{ kind: "NoGrant" }]);
    shop.world.grant({ ...limited, limits: { amount: "50.00" } });
    await shop.world.run();
    expect(seen(shop).refunded).toEqual(["25.00"]);
  });
});

describe("a refund above the limit", () => {
  const large = { ...request, amount: "250.00" };

  test("waits for a person, and is made once he has said yes", async () => {
    const shop = newShop();
    await shop.world.tell("refund.requested", large);
    await shop.world.run(60_000);
    expect(seen(shop)).toEqual({ refunded: [], told: [] });
    expect(await shop.world.answer("approve")).toEqual({ kind: "answered" });
    await shop.world.run();
    expect(seen(shop)).toEqual({ refunded: ["250.00"], told: ["We refunded 250.00 EUR."] });
  });

  test("that a person refuses is declined, and the customer told so", async () => {
    const shop = newShop();
    await shop.world.tell("refund.requested", large);
    await shop.world.run(60_000);
    await shop.world.answer("refuse");
    await shop.world.run();
    expect(await shop.world.record()).toMatchObject({ status: "declined" });
    expect(seen(shop)).toEqual({ refunded: [], told: ["We cannot refund this order."] });
  });

  test("that is taken back before an answer is not made, whatever is answered then", async () => {
    const shop = newShop();
    await shop.world.tell("refund.requested", large);
    await shop.world.run(60_000);
    await shop.world.tell("refund.withdrawn", { order: large.order });
    expect((await shop.world.answer("approve")).kind).toBe("void");
    await shop.world.run();
    expect(await shop.world.record()).toMatchObject({ status: "withdrawn" });
    expect(seen(shop)).toEqual({ refunded: [], told: [] });
  });
});

describe("events", () => {
  test("of which the withdrawal overtook its own request end the case, and nothing is made", async () => {
    const shop = newShop();
    await shop.world.tell("refund.withdrawn", { order: "O-1" }, { minutes: 2 });
    await shop.world.tell("refund.requested", request, { minutes: 1 });
    await shop.world.run();
    expect(await shop.world.record()).toMatchObject({ status: "withdrawn" });
    expect(seen(shop).refunded).toEqual([]);
  });

  test("that do not fit are turned away with the field", async () => {
    const { world } = newShop();
    await expect(world.tell("refund.requested", { ...request, amount: 25 })).rejects.toThrow(
      /data\.amount/,
    );
  });
});

describe("a case that is open while the facts get another shape", () => {
  const facts = z.looseObject({ order: z.string(), shop: z.string() });
  const changed = { ...refundRequest, facts: facts as unknown as z.ZodType<Facts> };

  async function openShop() {
    const shop = newShop();
    await shop.world.tell("refund.requested", { ...request, amount: "250.00" });
    await shop.world.run(60_000);
    return shop;
  }

  test("comes forward by the upcaster of the new revision, with the next event", async () => {
    const shop = await openShop();
    const upcasters = { 2: (old: Facts) => ({ ...old, shop: "main" }) };
    shop.world.deploy({ ...shop.team, workflow: { ...changed, revision: 2, upcasters } });
    await shop.world.tell("refund.withdrawn", { order: request.order });
    await shop.world.run();
    const record = await shop.world.record();
    expect(record).toMatchObject({ status: "withdrawn", facts: { shop: "main", withdrawn: true } });
    expect(record.workflow.revision).toBe(2);
  });

  test("is held when the revision was not raised, and the review says what to do", async () => {
    const shop = await openShop();
    shop.world.deploy({ ...shop.team, workflow: changed });
    await shop.world.tell("refund.withdrawn", { order: request.order });
    await shop.world.run(60_000);
    const { held } = await shop.world.record();
    expect(held?.detail).toMatch(/no longer fit its schema \(raise the revision.*shop/);
    expect(seen(shop).refunded).toEqual([]);
  });
});

describe("the adapter", () => {
  let standIn: StandIn;
  beforeAll(async () => void (standIn = await startPayments()));
  afterAll(() => standIn.close());

  function sending(payload: Record<string, unknown>): SendRequest {
    const binding = {
      operationId: "a".repeat(26),
      target: "ch-1",
      payloadDigest: digestOf(payload),
    };
    const call = { action: refund.name, account: "acme", providerKey: "k-1", timeoutMs: 5000 };
    return { ...call, binding, payload, fence: 1 };
  }

  test("binds its receipt to what the provider says it did", async () => {
    const { charge, amount, currency } = request;
    const asked = sending({ charge, amount, currency });
    const answer = await cardPayments({ ...nowhere, baseUrl: standIn.url }).send(asked);
    expect(answer).toMatchObject({
      kind: "receipt",
      receipt: { providerId: "re-1", boundTo: asked.binding },
    });
    // Under the same key the provider tells of the same refund: for another amount it is no receipt.
    const other = sending({ charge, amount: "1.00", currency });
    const again = await cardPayments({ ...nowhere, baseUrl: standIn.url }).send(other);
    expect(again).not.toMatchObject({ receipt: { boundTo: other.binding } });
    expect(await standIn.applied()).toHaveLength(1);
  });

  test("sends nothing that is no refund", async () => {
    const payments = cardPayments({ ...nowhere, baseUrl: standIn.url });
    const answer = await payments.send(sending({ charge: "ch-1" }));
    expect(answer.kind).toBe("notSent");
  });
});
