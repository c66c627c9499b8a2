// Whatever a provider answers, call after call and look after look: each shipped adapter, over real sockets, ends its effect as its
// contract allows. A provider may sound as it likes; what it documents (a refusal, "nothing was done") it says only where it is so.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { answering } from "../../providers/odd-server.ts";
import { answerWorld, type Respond, type Turn } from "./answer-world.ts";

const reset: Respond = (response) => response.socket?.resetAndDestroy();
const open: readonly Respond[] = [
  reset,
  (response) => void response.socket?.end("HTTP/1.1 201 Created\r\ncontent-length: 9\r\n\r\n{"),
  answering(502, "<html>Bad Gateway</html>"),
  answering(503, "", { "retry-after": "600" }),
  answering(500, { code: "refused" }),
  answering(409, { code: "idempotency_in_progress" }, { "retry-after": "1" }),
  answering(409, { code: "already_closed", by: "earlier" }),
  answering(422, { code: "busy" }),
  answering(400, "<html>Firewall</html>"),
  answering(307, "", { location: "http://127.0.0.1:1/" }),
  answering(200, { ok: false, error: "later" }),
  answering(201, ""),
  answering(202, { status: "pending" }),
];
/** Only of a call that did nothing. */
const documented: readonly Respond[] = [
  answering(401, ""),
  answering(404, "<html>Not found</html>"),
  answering(429, "", { "retry-after": "30" }),
  answering(422, { code: "refused", reason: "closed account" }),
  answering(400, { code: "invalid_body" }),
];
const lookedUp: readonly Respond[] = [
  reset,
  answering(403, { code: "no_such_operation" }),
  answering(404, { code: "no_such_operation" }, { age: "3" }),
  answering(404, "<html>Not found</html>"),
  answering(200, "<html>Log in</html>"),
  answering(500, ""),
];

const turn: fc.Arbitrary<Turn> = fc.oneof(
  fc.record({ does: fc.boolean(), says: fc.constantFrom(...open) }),
  fc.record({ does: fc.constant(false), says: fc.constantFrom(...documented) }),
);
const turns = fc.array(turn, { maxLength: 8 });
const looks = fc.array(fc.constantFrom(...lookedUp), { maxLength: 14 });

/** What must be so of an effect that ends like that. */
const mayBe: Record<string, (seen: { applied: number; reviews: number }) => boolean> = {
  confirmed: ({ applied }) => applied === 1,
  rejected: ({ applied }) => applied === 0,
  cancelled: ({ applied }) => applied === 0,
  unknown: ({ reviews }) => reviews === 1,
};

describe.each(["portal", "crm", "board", "email"] as const)("the adapter of the %s", (name) => {
  test("does its effect once at most, calls done only what was done, and leaves nothing undecided", async () => {
    await fc.assert(
      fc.asyncProperty(turns, looks, async (said, seen) => {
        const world = await answerWorld(name, said, seen);
        await world.run(world.worker(), 30 * 24 * 3_600_000);
        const { applied, reviews, status } = await world.ends();
        expect(applied).toBeLessThanOrEqual(1);
        expect(mayBe[status ?? "none"]?.({ applied, reviews: reviews.length })).toBe(true);
      }),
      { numRuns: 60 },
    );
  }, 60_000);
});
