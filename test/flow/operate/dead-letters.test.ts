// Dead letters are moved so that none is lost and no effect happens twice (cases.md 14, 22, 28, 29, 31, 32), through the real SDK.
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { letDie, makeDeadLetters } from "../../../local/service-bus/make-dead-letters.ts";
import { caseKeyText, type CaseKey } from "../../../shared/domain/identity.ts";
import { newCaseKey } from "../../stores/documents.ts";
import { handleHint } from "../../../shared/flow/wake/handle-hint.ts";
import { serviceBusDeadLetters } from "../../../shared/stores/service-bus-dead-letters.ts";
import { key, newWorld } from "../world.ts";
import {
  deskOf,
  hintMessage,
  moved,
  openDeadLetterWorld,
  wholeRun,
  type DeadLetterWorld,
} from "./dead-letter-world.ts";
import { ada, rita, unknownCase } from "./operators.ts";

let bus: DeadLetterWorld;
beforeEach(async () => {
  bus = await openDeadLetterWorld();
});
afterEach(() => bus.close());

const ofAcme = (): CaseKey => ({ ...newCaseKey(), tenantId: "acme" });
const by = { deadLetterReason: "Broken", deadLetterErrorDescription: "worker 17 failed" };

describe("a resubmitted dead letter", () => {
  test("is a copy with the same bytes, session, content type, correlation and properties (cases.md 28)", async () => {
    const key = ofAcme();
    const body = Buffer.from([0, 255, 1, 254, 34, 200]);
    const message = hintMessage(key, {
      body,
      contentType: "application/octet-stream",
      correlationId: "corr-1",
      subject: "s",
      applicationProperties: { n: 1.5, yes: true, text: "ä" },
    });
    await makeDeadLetters(bus.client, "cases", { messages: [message], by });
    const answer = moved(await deskOf(newWorld(), bus.store).resubmit());
    expect(answer).toMatchObject({ resubmitted: 1, failed: 0, done: true, left: 0, total: 1 });
    const [copy] = await bus.waiting();
    expect(copy).toMatchObject({
      sessionId: caseKeyText(key),
      contentType: "application/octet-stream",
      correlationId: "corr-1",
      subject: "s",
      messageId: answer.letters[0]?.newMessageId,
      applicationProperties: {
        n: 1.5,
        yes: true,
        text: "ä",
        "countersign-resubmits": 1,
        "countersign-original-id": message.messageId,
      },
    });
    expect(Buffer.compare(copy?.body as Buffer, body)).toBe(0);
    expect(Object.keys(copy?.applicationProperties ?? {})).not.toContain("DeadLetterReason");
    expect(String(copy?.applicationProperties?.["countersign-past"])).toContain("worker 17 failed");
  });

  test("is delivered although its first id is remembered (cases.md 22)", async () => {
    const message = hintMessage(ofAcme());
    await makeDeadLetters(bus.client, "cases", { messages: [message] });
    await deskOf(newWorld(), bus.store).resubmit();
    const [copy] = await bus.waiting();
    expect(copy?.messageId).not.toBe(message.messageId);
    expect(copy?.applicationProperties?.["countersign-original-id"]).toBe(message.messageId);
  });

  test("too large with what it must say of its past stays, and says why (cases.md 14)", async () => {
    const limit = 256 * 1024;
    const filler = (left: number) => Buffer.alloc(limit - left, 1);
    const messages = [
      // Fits without the past, but not with it.
      hintMessage(ofAcme(), { body: filler(500) }),
      // Does not fit with anything more.
      hintMessage(ofAcme(), { body: filler(150) }),
    ];
    const long = { ...by, deadLetterErrorDescription: "x".repeat(400) };
    await makeDeadLetters(bus.client, "cases", { messages, by: long });
    const answer = moved(await deskOf(newWorld(), bus.store).resubmit());
    expect(answer).toMatchObject({ resubmitted: 1, failed: 1, done: true, left: 1 });
    expect(answer.letters.find(({ outcome }) => outcome === "failed")?.why).toContain("larger");
    const [copy, ...others] = await bus.waiting();
    expect(others).toEqual([]);
    expect(copy?.applicationProperties).toMatchObject({ "countersign-resubmits": 1 });
    expect(copy?.applicationProperties).not.toHaveProperty("countersign-past");
  });

  test("that comes back each time is parked after five, and every run ends (cases.md 31)", async () => {
    const key = ofAcme();
    await makeDeadLetters(bus.client, "cases", { messages: [hintMessage(key)], by });
    const world = newWorld();
    const desk = deskOf(world, bus.store);
    const outcomes: string[] = [];
    for (let round = 0; round < 6; round += 1) {
      const { answers } = await wholeRun((cursor) => desk.resubmit(cursor ? { cursor } : {}));
      outcomes.push(...answers.flatMap(({ letters }) => letters.map(({ outcome }) => outcome)));
      if (outcomes.at(-1) === "resubmitted") await dieAgain(key);
    }
    expect(outcomes).toEqual([...Array<string>(5).fill("resubmitted"), "parked"]);
    expect(await bus.waiting()).toEqual([]);
    const [kept] = (await desk.people.store.archivedLetters({ tenantId: "acme", max: 10 })).rows;
    expect(kept).toMatchObject({ how: "parked", resubmitCount: 5, caseId: key.caseId });
    const past = JSON.parse(String(kept?.content?.properties["countersign-past"])) as object[];
    expect(past.length).toBeLessThanOrEqual(5);
  });
});

const dieAgain = (key: CaseKey) =>
  letDie(bus.client, { queue: "cases", sessionId: caseKeyText(key), count: 1, by });

describe("a run", () => {
  test("leaves what became a dead letter after it began, its own copies too", async () => {
    const first = [ofAcme(), ofAcme(), ofAcme()];
    const messages = first.map((key) => hintMessage(key));
    await makeDeadLetters(bus.client, "cases", { messages, by });
    const desk = deskOf(newWorld(), bus.store);
    const one = moved(await desk.resubmit({ max: 1 }));
    expect(one).toMatchObject({ total: 3, resubmitted: 1, done: false });
    await dieAgain(first[0] ?? ofAcme());
    await makeDeadLetters(bus.client, "cases", { messages: [hintMessage(ofAcme())], by });
    const { sum } = await wholeRun((cursor) =>
      desk.resubmit({ cursor: cursor ?? one.next, max: 1 }),
    );
    expect(sum("resubmitted")).toBe(2);
    const listed = (await desk.list()).body["deadLetters"] as object[];
    expect(listed).toHaveLength(2);
  });

  test("without a word moves nothing, and says what each resubmit would do", async () => {
    await makeDeadLetters(bus.client, "cases", { messages: [hintMessage(ofAcme())], by });
    const desk = deskOf(newWorld(), bus.store);
    const dry = moved(await desk.resubmit({ dryRun: undefined }));
    expect(dry).toMatchObject({ dryRun: true, done: true, resubmitted: 1 });
    expect(dry.letters[0]?.preview).toMatchObject({ verdict: "caseNotFound" });
    expect((await desk.list()).body["deadLetters"]).toHaveLength(1);
    expect(await bus.waiting()).toEqual([]);
    const { rows } = await desk.people.store.records({ tenantId: "acme", max: 10 });
    expect(rows).toEqual([]);
  });

  test("moves one tenant's letters from behind more of another's than a link can hold", async () => {
    const foreign: CaseKey = { ...newCaseKey(), tenantId: "globex" };
    const front = Array.from({ length: 2100 }, () => hintMessage(foreign));
    await makeDeadLetters(bus.client, "cases", { messages: front, by });
    const mine = [ofAcme(), ofAcme()].map((key) => hintMessage(key));
    await makeDeadLetters(bus.client, "cases", { messages: mine, by });
    const desk = deskOf(newWorld(), bus.store);
    const { sum } = await wholeRun((cursor) => desk.resubmit(cursor ? { cursor } : {}));
    expect(sum("resubmitted")).toBe(2);
    expect(await bus.waiting()).toHaveLength(2);
    const [queue] = await bus.control.queues();
    expect(queue).toMatchObject({ deadLetter: 2100 });
  }, 60_000);
});

describe("fifty dead letters", () => {
  /** What the next run moves, and how many copies there are then: one too many, where a worker died between send and complete. */
  const wanted = { receive: [50, 50], send: [31, 51], complete: [30, 50] } as const;
  for (const point of ["receive", "send", "complete"] as const) {
    test(`of which a worker dies after ${point} are not lost (cases.md 29)`, async () => {
      const keys = Array.from({ length: 50 }, ofAcme);
      const messages = keys.map((key) => hintMessage(key));
      await makeDeadLetters(bus.client, "cases", { messages, by });
      const mortal = bus.connect();
      const killed = deskOf(newWorld(), dying(point, 20, mortal));
      await expect(killed.resubmit()).rejects.toThrow("killed");
      await mortal.close();
      const desk = deskOf(newWorld(), bus.store);
      let resubmitted = 0;
      // The dead worker's locks end by themselves; until then the run says what is left.
      for (let left = 50; left > 0;) {
        const { answers, sum } = await wholeRun((cursor) =>
          desk.resubmit(cursor ? { cursor } : {}),
        );
        resubmitted += sum("resubmitted");
        left = answers.at(-1)?.left ?? 0;
      }
      const sessions = (await bus.waiting()).map(({ sessionId }) => sessionId);
      expect(new Set(sessions)).toEqual(new Set(keys.map((key) => caseKeyText(key))));
      // On a slow machine a lock may end under the run: then a letter is moved twice, and counted twice.
      const [moves, copies] = wanted[point];
      expect(sessions.length - resubmitted).toBe(copies - moves);
      expect(resubmitted).toBeGreaterThanOrEqual(moves);
    }, 60_000);
  }

  test("of which a send is not answered stay there, and the run stops and says so", async () => {
    const messages = [ofAcme(), ofAcme()].map((key) => hintMessage(key));
    await makeDeadLetters(bus.client, "cases", { messages, by });
    await bus.control.plan({ match: { operation: "send" }, fault: "serverBusy", times: 100 });
    const answer = moved(await deskOf(newWorld(), bus.store).resubmit());
    expect(answer).toMatchObject({ resubmitted: 0, failed: 1, done: false });
    expect(answer.stopped).toBeDefined();
    await bus.control.clearFaults();
    expect((await deskOf(newWorld(), bus.store).list()).body["deadLetters"]).toHaveLength(2);
  }, 60_000);
});

function dying(
  point: "receive" | "send" | "complete",
  after: number,
  client: DeadLetterWorld["client"],
) {
  const store = serviceBusDeadLetters(client);
  let count = 0;
  const strike = () => {
    if ((count += 1) >= after) throw new Error("killed");
  };
  return {
    peek: store.peek,
    open(queue: "cases" | "reviews") {
      const open = store.open(queue);
      return {
        receive: async (...asked: Parameters<typeof open.receive>) => {
          const received = await open.receive(...asked);
          if (point === "receive") throw new Error("killed");
          return received;
        },
        send: async (...asked: Parameters<typeof open.send>) => {
          const sent = await open.send(...asked);
          if (point === "send") strike();
          return sent;
        },
        complete: async (...asked: Parameters<typeof open.complete>) => {
          const completed = await open.complete(...asked);
          if (point === "complete") strike();
          return completed;
        },
        // A worker that is killed gives nothing back.
        close: async () => {},
      };
    },
  };
}

describe("what a resubmit would do", () => {
  test("is nothing, where the case is settled: fifteen days later no call is made (cases.md 32)", async () => {
    const world = newWorld();
    await world.post(1);
    await world.run();
    const calls = world.keyed.received.length;
    expect(calls).toBe(2);
    await makeDeadLetters(bus.client, "cases", { messages: [hintMessage(key)], by });
    world.advance(15 * 24 * 3_600_000);
    const desk = deskOf(world, bus.store);
    const { deadLetters } = (await desk.preview()).body;
    expect(deadLetters).toMatchObject([{ preview: { verdict: "nothingToRepeat" } }]);
    await desk.resubmit();
    const [copy] = await bus.waiting();
    await handleHint(world.worker(), JSON.parse(String(copy?.body)), {
      queue: "cases",
      deliveryCount: 1,
      wallClockMs: world.nowMs(),
      random: () => "r",
    });
    expect(world.keyed.received).toHaveLength(calls);
    expect(world.keyed.applied).toHaveLength(2);
  });

  test("is told by the ledger: undecided, unknown, held, or no hint at all", async () => {
    const open = newWorld();
    await open.post(1);
    await makeDeadLetters(bus.client, "cases", { messages: [hintMessage(key)], by });
    const verdictIn = async (world: ReturnType<typeof newWorld>) =>
      (await deskOf(world, bus.store).preview()).body["deadLetters"];
    expect(await verdictIn(newWorld())).toMatchObject([{ preview: { verdict: "caseNotFound" } }]);
    expect(await verdictIn(open)).toMatchObject([{ preview: { verdict: "wouldGoOn" } }]);
    const unknown = await unknownCase();
    const [{ operationId } = { operationId: "" }] = await unknown.effects();
    expect(await verdictIn(unknown)).toMatchObject([
      {
        preview: {
          verdict: "blockedByUnknown",
          operationId,
          says: expect.stringContaining(operationId),
        },
      },
    ]);
    const held = newWorld({ decide: () => ({ kind: "hold", why: "ask a person" }) });
    await held.post(1);
    await held.turn();
    expect(await verdictIn(held)).toMatchObject([{ preview: { verdict: "held" } }]);
    const undecided = newWorld();
    undecided.control.draining = true;
    await undecided.post(1);
    await undecided.turn();
    expect(await verdictIn(undecided)).toMatchObject([{ preview: { verdict: "wouldDecide" } }]);
  });
});

describe("a dead letter that is no hint", () => {
  test("is listed and archived by those of all tenants, and seen by nobody of one", async () => {
    const broken = hintMessage(ofAcme(), { sessionId: "no case", body: "not json {" });
    await makeDeadLetters(bus.client, "cases", { messages: [broken] });
    const desk = deskOf(newWorld(), bus.store);
    expect((await desk.list()).body["deadLetters"]).toEqual([]);
    expect((await desk.list(rita, "_")).status).toBe(403);
    const { deadLetters } = (await desk.list(ada, "_")).body;
    expect(deadLetters).toMatchObject([
      {
        reason: "MaxDeliveryCountExceeded",
        body: expect.stringContaining("not json"),
        resubmitCount: 0,
      },
    ]);
    expect(moved(await desk.archive({}, ada, "_"))).toMatchObject({ archived: 1, left: 0 });
    const { rows } = await desk.people.store.archivedLetters({ tenantId: "_", max: 10 });
    expect(rows).toMatchObject([{ by: "ada", why: "repaired", content: { sessionId: "no case" } }]);
  });

  test("is edited: the original is kept, and the hint of the right case is sent", async () => {
    const key = ofAcme();
    const broken = hintMessage(key, { body: { caseKey: "wrong" } });
    await makeDeadLetters(bus.client, "cases", { messages: [broken], by });
    const desk = deskOf(newWorld(), bus.store);
    const [{ sequenceNumber } = { sequenceNumber: "" }] = (await desk.preview()).body[
      "deadLetters"
    ] as { sequenceNumber: string; preview: object }[];
    const foreign = `globex:${key.caseId}`;
    expect((await desk.edit(sequenceNumber, { caseKey: foreign })).status).toBe(400);
    const caseKey = caseKeyText(key);
    expect((await desk.edit("999999", { caseKey })).status).toBe(404);
    expect(moved(await desk.edit(sequenceNumber, { caseKey }))).toMatchObject({ resubmitted: 1 });
    const [sent] = await bus.waiting();
    expect(sent).toMatchObject({ sessionId: caseKey });
    expect(JSON.parse(String(sent?.body))).toMatchObject({ caseKey, hintId: sent?.messageId });
    const { rows } = await desk.people.store.archivedLetters({ tenantId: "acme", max: 10 });
    expect(rows).toMatchObject([
      { how: "edited", content: { body: { text: '{"caseKey":"wrong"}' } } },
    ]);
  });
});

describe("the list", () => {
  test("is grouped by cause, whatever ids and numbers the texts name, and shows a reader no content", async () => {
    const at = (n: number) => ({ ...by, deadLetterErrorDescription: `worker ${n} failed` });
    for (const n of [1, 2]) {
      await makeDeadLetters(bus.client, "cases", {
        messages: [hintMessage(ofAcme())],
        by: at(n),
      });
    }
    const other = { deadLetterReason: "Other", deadLetterErrorDescription: "" };
    await makeDeadLetters(bus.client, "cases", { messages: [hintMessage(ofAcme())], by: other });
    const desk = deskOf(newWorld(), bus.store);
    const { causes, count } = (await desk.causes()).body as {
      causes: { cause: string }[];
      count: number;
    };
    expect(count).toBe(3);
    expect(causes).toMatchObject([
      { reason: "Broken", count: 2 },
      { reason: "Other", count: 1 },
    ]);
    const filtered = await desk.list(rita, "acme", { cause: causes[0]?.cause ?? "" });
    expect(filtered.body["deadLetters"]).toHaveLength(2);
    expect(JSON.stringify(filtered.body)).not.toMatch(/hintId|worker/);
    expect(moved(await desk.archive({ filter: { cause: causes[1]?.cause } }))).toMatchObject({
      archived: 1,
      total: 1,
    });
    const paged = await desk.list(rita, "acme", { max: "1" });
    expect(paged.body["deadLetters"]).toHaveLength(1);
    expect(paged.body["next"]).toBeDefined();
    expect((await desk.resubmit({}, rita)).status).toBe(403);
  });
});

test("a queue that is full or disabled stops the run at the first letter, says so, and all stay; later the same run goes on", async () => {
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
