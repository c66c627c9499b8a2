// A queue that takes nothing just now, full or disabled: a run stops instead of failing letter by letter, and loses none.
import { ServiceBusError } from "@azure/service-bus";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { makeDeadLetters } from "../../../local/service-bus/make-dead-letters.ts";
import type { CaseKey } from "../../../shared/domain/identity.ts";
import { sentDespite } from "../../../shared/stores/service-bus-dead-letters.ts";
import { newCaseKey } from "../../stores/documents.ts";
import { newWorld } from "../world.ts";
import {
  deskOf,
  hintMessage,
  moved,
  openDeadLetterWorld,
  wholeRun,
  type DeadLetterWorld,
} from "./dead-letter-world.ts";

let bus: DeadLetterWorld;
beforeEach(async () => {
  bus = await openDeadLetterWorld();
});
afterEach(() => bus.close());

const ofAcme = (): CaseKey => ({ ...newCaseKey(), tenantId: "acme" });
const by = { deadLetterReason: "Broken", deadLetterErrorDescription: "worker 17 failed" };

describe("a queue that takes nothing", () => {
  test.each([
    ["QuotaExceeded", false, "closed"],
    ["MessagingEntityDisabled", false, "closed"],
    ["MessageSizeExceeded", false, "tooLarge"],
    ["ServiceTimeout", true, "uncertain"],
    ["GeneralError", false, "uncertain"],
    ["MessagingEntityNotFound", false, "refused"],
  ] as const)("by %s is %s in our words: %s", (code, retryable, sent) => {
    expect(sentDespite(Object.assign(new ServiceBusError("x", code), { retryable }))).toBe(sent);
  });

  test("stops the run at the first letter, says so, and all stay; later the same run goes on", async () => {
    const messages = [1, 2, 3].map(() => hintMessage(ofAcme()));
    await makeDeadLetters(bus.client, "cases", { messages, by });
    const full = {
      peek: bus.store.peek,
      open: (queue: "cases" | "reviews") => ({
        ...bus.store.open(queue),
        send: async () => "closed" as const,
      }),
    };
    const answer = moved(await deskOf(newWorld(), full).resubmit());
    expect(answer).toMatchObject({ resubmitted: 0, failed: 1, done: false });
    expect(answer.stopped).toContain("full, or disabled");
    const { sum } = await wholeRun((cursor) =>
      deskOf(newWorld(), bus.store).resubmit({ cursor: cursor ?? answer.next }),
    );
    expect(sum("resubmitted")).toBe(3);
  });
});
