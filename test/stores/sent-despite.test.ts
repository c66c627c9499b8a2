// What the SDK throws at the copy of a dead letter, as what became of that copy.
import { ServiceBusError } from "@azure/service-bus";
import { expect, test } from "vitest";
import { sentDespite } from "../../shared/stores/service-bus-dead-letters.ts";

test.each([
  ["QuotaExceeded", false, "closed"],
  ["MessagingEntityDisabled", false, "closed"],
  ["MessageSizeExceeded", false, "tooLarge"],
  ["ServiceTimeout", true, "uncertain"],
  ["GeneralError", false, "uncertain"],
  ["MessagingEntityNotFound", false, "refused"],
] as const)("%s (retryable: %s) is %s", (code, retryable, sent) => {
  expect(sentDespite(Object.assign(new ServiceBusError("x", code), { retryable }))).toBe(sent);
});

test("what is no error of the service's is uncertain", () => {
  expect(sentDespite(new TypeError("socket"))).toBe("uncertain");
});
