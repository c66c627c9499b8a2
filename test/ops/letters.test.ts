// What the dead-letter commands send, request by request, and where they stop.
import { nothingMoved, totalInWords } from "../../ops/cli/commands/letters/move-letters.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { run } from "../../ops/cli/run.ts";
import { quietTerminal, type QuietTerminal } from "./quiet-terminal.ts";
import { openStandIn, type Answer, type Asked, type StandIn } from "./stand-in.ts";

let api: StandIn;
beforeAll(async () => {
  api = await openStandIn();
});
afterAll(() => api.close());
beforeEach(() => {
  api.asked.length = 0;
});

interface MoveBody {
  dryRun?: boolean;
  cursor?: string;
  filter: { sequenceNumbers?: string[]; cause?: string };
}

const bodies = () => api.asked.map(({ body, name }) => ({ name, body: body as MoveBody }));

async function ops(line: readonly string[], terminal: QuietTerminal = quietTerminal()) {
  const because = ["--reason", "because", "--tenant", "acme", "--json"];
  const code = await run([...line, ...because, "--url", api.url], terminal);
  const { err, out } = terminal.said;
  return { code, err, json: (out === "" ? {} : JSON.parse(out)) as Record<string, unknown> };
}

const none = { resubmitted: 0, archived: 0, parked: 0, failed: 0, skipped: 0 };

function answer(change: object): Answer {
  const whole = { runId: "r", dryRun: false, total: 0, letters: [], done: true, ...none };
  return { body: { ...whole, ...change } };
}

/** A queue of hints by number, and which of them are none. */
function queueOf(numbers: readonly string[], noHints: readonly string[] = []) {
  const pageSize = 2;
  const moved: Record<string, string[]> = { resubmit: [], archive: [] };
  const serve =
    (how: "resubmit" | "archive") =>
    ({ body }: Asked): Answer => {
      const { cursor = "0", dryRun = true, filter } = body as MoveBody;
      if (!dryRun) {
        const meant = filter.sequenceNumbers ?? [];
        moved[how]?.push(...meant);
        const count =
          how === "archive" ? { archived: meant.length } : { resubmitted: meant.length };
        return answer({ total: meant.length, left: 0, ...count });
      }
      const from = Number(cursor);
      const page = numbers.slice(from, from + pageSize);
      const isLast = from + pageSize >= numbers.length;
      return answer({
        dryRun,
        total: numbers.length,
        resubmitted: page.length,
        letters: page.map((sequenceNumber) => {
          const verdict = noHints.includes(sequenceNumber) ? "noCase" : "nothingToRepeat";
          const preview = { verdict, says: "as it is" };
          return { sequenceNumber, outcome: "resubmitted", preview };
        }),
        done: isLast,
        ...(isLast ? {} : { next: String(from + pageSize) }),
      });
    };
  api.answer({
    "resubmit-dead-letters": serve("resubmit"),
    "archive-dead-letters": serve("archive"),
  });
  return moved;
}

describe("a drain", () => {
  const drain = ["dead-letters", "drain", "--queue", "cases"];

  test("sends each hint again and archives what is none, page by page to where the queue ended", async () => {
    const moved = queueOf(["1", "2", "3", "4", "5"], ["2", "5"]);
    const { code, json } = await ops([...drain, "--yes"]);
    expect([code, json]).toMatchObject([0, { total: 5, resubmitted: 3, archived: 2 }]);
    expect(moved).toEqual({ resubmit: ["1", "3", "4"], archive: ["2", "5"] });
  });

  test("that is dry moves nothing, and counts what would be", async () => {
    const moved = queueOf(["1", "2", "3"], ["3"]);
    const { code, json } = await ops([...drain, "--dry-run"]);
    expect([code, json]).toMatchObject([0, { dryRun: true, resubmitted: 2, archived: 1 }]);
    expect(moved).toEqual({ resubmit: [], archive: [] });
    expect(bodies().every(({ body }) => body.dryRun === true)).toBe(true);
  });

  test("asks first, and moves nothing without a yes", async () => {
    const moved = queueOf(["1"]);
    const human = quietTerminal({ answers: ["no"] });
    expect((await ops(drain, human)).code).toBe(1);
    expect(human.said.err).toContain("nothingToRepeat");
    expect((await ops(drain)).code).toBe(2);
    expect(moved).toEqual({ resubmit: [], archive: [] });
  });

  test("that is interrupted ends between two requests and tells what it has done", async () => {
    const moved = queueOf(["1", "2", "3", "4"]);
    const terminal = quietTerminal();
    const progress = terminal.progress;
    terminal.progress = (text) => {
      progress(text);
      terminal.interrupt();
    };
    const { code, err } = await ops([...drain, "--yes"], terminal);
    expect(code).toBe(130);
    expect(err).toContain("So far: 2 resubmitted");
    expect(moved["resubmit"]).toEqual(["1", "2"]);
  });

  test("stops with 4 when the broker does not answer, and says so", async () => {
    api.answer({
      "resubmit-dead-letters": (asked) =>
        (asked.body as MoveBody).dryRun === true
          ? answer({
              dryRun: true,
              total: 1,
              letters: [{ sequenceNumber: "1", outcome: "resubmitted" }],
            })
          : answer({ total: 1, failed: 1, done: false, stopped: "the broker did not answer" }),
    });
    const { code, err } = await ops([...drain, "--yes"]);
    expect(code).toBe(4);
    expect(err).toContain("the broker did not answer");
  });
});

describe("a resubmit", () => {
  const line = ["dead-letters", "resubmit", "--queue", "cases"];

  test("goes on with the same run until it is done, by the filter alone", async () => {
    api.answer({
      "resubmit-dead-letters": ({ body }) =>
        (body as MoveBody).cursor === undefined
          ? answer({ total: 3, resubmitted: 2, done: false, next: "c" })
          : answer({ total: 3, resubmitted: 1, left: 0 }),
    });
    const { code, json } = await ops([...line, "--cause", "3f9a", "--yes"]);
    expect([code, json]).toMatchObject([0, { total: 3, resubmitted: 3, left: 0 }]);
    expect(bodies()).toMatchObject([
      { body: { dryRun: false, filter: { cause: "3f9a" } } },
      { body: { dryRun: false, filter: { cause: "3f9a" }, cursor: "c" } },
    ]);
  });

  test("of a part of them says that there are more", async () => {
    api.answer({ "resubmit-dead-letters": answer({ total: 1, resubmitted: 1, isMore: true }) });
    const { code, json } = await ops([...line, "--cause", "3f9a", "--yes"]);
    expect([code, json]).toMatchObject([0, { resubmitted: 1, isMore: true }]);
    const told = totalInWords({ ...nothingMoved(false), isMore: true });
    expect(told).toContain("Run the same command again");
  });

  test("of which some failed ends with 1 and names them", async () => {
    const letters = [{ sequenceNumber: "7", outcome: "failed", why: "it names no session" }];
    api.answer({ "resubmit-dead-letters": answer({ total: 1, failed: 1, letters, left: 1 }) });
    const { code, json } = await ops([...line, "--sequence", "7", "--yes"]);
    expect([code, json]).toMatchObject([1, { failed: 1, letters }]);
  });
});

test("an edit rehearses, asks, and only then sends the new hint", async () => {
  const caseId = "abcdefghijklmnopqrstuvwxyz";
  api.answer({
    "edit-dead-letter": ({ body }) =>
      answer({
        dryRun: (body as MoveBody).dryRun,
        total: 1,
        resubmitted: 1,
        letters: [
          {
            sequenceNumber: "42",
            outcome: "resubmitted",
            preview: { verdict: "wouldDecide", says: "Would decide again." },
          },
        ],
      }),
  });
  const edit = ["dead-letters", "edit", "42", "--queue", "cases", "--case", caseId];
  const human = quietTerminal({ answers: ["yes"] });
  expect((await ops(edit, human)).code).toBe(0);
  expect(human.said.err).toContain("Would decide again.");
  expect(bodies().map(({ body }) => body.dryRun)).toEqual([true, false]);
  expect(bodies()[1]).toMatchObject({ body: { caseKey: `acme:${caseId}` } });
});
