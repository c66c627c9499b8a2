// What waits for people, in the order of what waiting costs; and what a reader is shown of it.
import { describe, expect, test } from "vitest";
import {
  listApprovals,
  showApproval,
} from "../../../shared/flow/operate/approvals/approval-routes.ts";
import { searchCasesRoute } from "../../../shared/flow/operate/cases/search-cases.ts";
import { showCaseRoute } from "../../../shared/flow/operate/cases/show-case.ts";
import type { Principal } from "../../../shared/flow/operate/access/principal.ts";
import { listReviews } from "../../../shared/flow/operate/reviews/list-reviews.ts";
import { listReviewsRoute } from "../../../shared/flow/operate/reviews/list-reviews.ts";
import type { Review } from "../../../shared/domain/records/review.ts";
import { memoryOperators } from "../../memory/memory-operators.ts";
import { aReview } from "../../stores/documents.ts";
import { key, newWorld, type World } from "../world.ts";

const person = (id: string, role: string): Principal => ({
  id,
  isPerson: true,
  roleClaims: [`${role}@acme`],
});

const ports = (world: World) => ({
  book: world.book,
  cases: world.cases,
  operators: memoryOperators(world.cases),
  nowMs: world.nowMs,
});

describe("open reviews", () => {
  test("come by what waiting costs, then by age, over pages of any size, each once", async () => {
    const world = newWorld();
    const opened: [Review["kind"], number][] = [
      ["NoGrant", 1],
      ["UnknownEffect", 3],
      ["Contradiction", 9],
      ["CaseHeld", 2],
      ["UnknownEffect", 2],
      ["UnknownEffect", 2],
    ];
    for (const [n, [kind, openedAtMs]] of opened.entries()) {
      world.cases.plant(key, aReview(key, { id: `review:case:${n}`, kind, openedAtMs }));
    }
    for (const max of [1, 2, 4, 6, 100]) {
      const shown: [string, number][] = [];
      let cursor: string | undefined;
      do {
        const query = listReviewsRoute.query.parse({ max: String(max), cursor });
        const reply = await listReviews(ports(world), "acme", query);
        if (reply.kind === "problem") throw new Error(reply.problem.detail);
        shown.push(
          ...reply.body.reviews.map(({ kind, openedAtMs }): [string, number] => [kind, openedAtMs]),
        );
        cursor = reply.body.next;
      } while (cursor !== undefined);
      expect(shown).toEqual([
        ["Contradiction", 9],
        ["UnknownEffect", 2],
        ["UnknownEffect", 2],
        ["UnknownEffect", 3],
        ["CaseHeld", 2],
        ["NoGrant", 1],
      ]);
    }
  });

  test("of another list's cursor are refused by name", () => {
    const foreign = Buffer.from(JSON.stringify({ atMs: 1, seen: [] })).toString("base64url");
    const parsed = listReviewsRoute.query.safeParse({ cursor: foreign });
    expect(parsed.error?.issues[0]).toMatchObject({ path: ["cursor"] });
  });
});

describe("open approvals", () => {
  const both = ["keyed.first.v1", "keyed.second.v1"];
  async function asked(sensitive: readonly string[] = []): Promise<World> {
    const world = newWorld({ approve: both, sensitive });
    await world.post(1);
    await world.run(world.worker(), 1000);
    return world;
  }
  const list = async (world: World, principal: Principal) => {
    const wanted = { tenantId: "acme", principal, query: { max: 10, cursor: undefined } };
    const reply = await listApprovals(ports(world), wanted);
    if (reply.kind === "problem") throw new Error(reply.problem.detail);
    return reply.body.approvals;
  };

  test("say whether they still stand, and who may not answer", async () => {
    const world = await asked();
    expect(await list(world, person("p-1", "approver"))).toMatchObject([
      { id: "approval:1:1", stands: true, mayAnswer: true, target: "T-1" },
      { id: "approval:1:2", stands: true, mayAnswer: true },
    ]);
    expect(await list(world, person("source:src", "approver"))).toMatchObject([
      { mayAnswer: false },
      { mayAnswer: false },
    ]);
    await world.post(2);
    await world.turn();
    const after = await list(world, person("p-1", "approver"));
    expect(after.filter(({ version }) => version === 1).map(({ stands }) => stands)).toEqual([
      false,
      false,
    ]);
  });

  test("show whoever answers the frozen payload and the facts, and a reader neither", async () => {
    const world = await asked();
    const show = async (principal: Principal) =>
      JSON.stringify(
        await showApproval(ports(world), { key, approvalId: "approval:1:1", principal }),
      );
    expect(await show(person("p-1", "approver"))).toContain("50.00");
    expect(await show(person("r-1", "reader"))).not.toMatch(/50\.00|T-1/);
    expect(await show(person("r-1", "reader"))).toContain('"isHidden":true');
  });

  test("show a sensitive payload to those who may approve it, and to nobody else", async () => {
    const world = await asked(both);
    const show = async (role: string) =>
      JSON.stringify(
        await showApproval(ports(world), {
          key,
          approvalId: "approval:1:1",
          principal: person("p-1", role),
        }),
      );
    expect(await show("approver")).toContain("50.00");
    expect(await show("operator")).not.toContain("50.00");
    expect(await show("reader")).not.toContain("50.00");
  });

  test("show a sensitive payload to nobody who is not asked: no program, no requester, not once it is answered", async () => {
    const world = await asked(both);
    const show = async (principal: Principal) =>
      JSON.stringify(
        await showApproval(ports(world), { key, approvalId: "approval:1:1", principal }),
      );
    const approver = person("p-1", "approver");
    expect(await show({ ...approver, isPerson: false })).not.toContain("50.00");
    expect(await show(person("source:src", "approver"))).not.toContain("50.00");
    const answer = { answerId: "1", decision: "approve", by: "p-1", atMs: world.nowMs() } as const;
    await world.cases.answerApproval(key, { id: "approval:1:1", answer });
    expect(await show(approver)).not.toContain("50.00");
  });
});

test("a case is looked up by a reference of any length that intake takes", () => {
  const query = { externalRef: "R".repeat(512) };
  expect(showCaseRoute.query.safeParse(query).success).toBe(true);
  expect(searchCasesRoute.query.safeParse(query).success).toBe(true);
});
