// A grant that could never cover anything is refused when it is given, by field: its cases would only wait on.
import { expect, test } from "vitest";
import { z } from "zod";
import { GrantRequest } from "../../../shared/flow/operate/grants/give-grant.ts";
import { whyCoversNothing } from "../../../shared/flow/operate/grants/why-covers-nothing.ts";
import { refund } from "../../workflows/refund-request/card-payments.ts";
import { refundRequest as workflow } from "../../workflows/refund-request/refund-request.ts";

const asked = (change: object) =>
  GrantRequest.parse({ id: "g-1", subject: workflow.type, action: refund.name, ...change });
const why = (change: object, action = refund) =>
  whyCoversNothing(asked(change), { action, workflow });

test("on fields that the payload has as text it may limit and restrict", () => {
  expect(why({ limits: { amount: "500.00" }, only: { currency: "EUR" } })).toBeUndefined();
});

test.each([["limits"], ["only"]])("in its %s a field that no payload has is named", (field) => {
  expect(why({ [field]: { amont: "500.00" } })).toEqual({
    field: `${field}.amont`,
    detail: "no field of payments.refund.v1; its payload has: charge, amount, currency",
  });
});

test("a limit on a number is refused: only text is compared", () => {
  const action = { ...refund, payload: z.object({ amount: z.number().optional() }) };
  expect(why({ limits: { amount: "500.00" } }, action)?.detail).toContain("is a number");
});

test("an action that the workflow never asks for is refused, with those that it asks for", () => {
  const action = { ...refund, name: "payments.capture.v1" };
  expect(why({}, action)).toEqual({
    field: "action",
    detail:
      "refund-request never asks for it; it asks for: payments.refund.v1, email.send_notification.v1",
  });
});

test("a payload that is no plain object is not judged, nor a workflow that names no actions", () => {
  const action = { ...refund, payload: z.record(z.string(), z.unknown()) };
  expect(why({ limits: { amount: "1.00" } }, action)).toBeUndefined();
  const { actions: _unnamed, ...silent } = workflow;
  const other = { ...refund, name: "payments.capture.v1" };
  expect(whyCoversNothing(asked({}), { action: other, workflow: silent })).toBeUndefined();
});
