// More dead letters than one look can see: a run that covers a part says so, and is not taken for all.
import { expect, test } from "vitest";
import type { DeadLetter, DeadLetterStore } from "../../../shared/stores/dead-letter-port.ts";
import { caseKeyText } from "../../../shared/domain/identity.ts";
import { key, newWorld } from "../world.ts";
import { deskOf, moved } from "./dead-letter-world.ts";

function letter(n: number): DeadLetter {
  return {
    queue: "cases",
    sequenceNumber: String(n),
    messageId: `m-${n}`,
    sessionId: caseKeyText(key),
    contentType: undefined,
    correlationId: undefined,
    enqueuedAtMs: 1,
    deliveryCount: 10,
    reason: "MaxDeliveryCountExceeded",
    description: undefined,
    body: { kind: "bytes", bytes: Buffer.from("{}") },
    properties: {},
  };
}

/** So many lie there, and can only be looked at. */
function lying(count: number): DeadLetterStore {
  return {
    async peek(_queue, { from = "0", max }) {
      const first = Math.max(1, Number(from));
      const length = Math.max(0, Math.min(max, count - first + 1));
      return Array.from({ length }, (_, n) => letter(first + n));
    },
    open: () => {
      throw new Error("a rehearsal takes no lock");
    },
  };
}

test.each([
  [19_000, 19_000, undefined],
  [25_000, 20_000, true],
])("of %i a run covers %i, and whether there are more is told", async (count, total, isMore) => {
  const answer = moved(await deskOf(newWorld(), lying(count)).resubmit({ dryRun: true, max: 1 }));
  expect([answer.total, answer.isMore]).toEqual([total, isMore]);
  const cursor = answer.next;
  const later = await deskOf(newWorld(), lying(count)).resubmit({ dryRun: true, max: 1, cursor });
  expect(moved(later).isMore).toBe(isMore);
});
