// An endpoint that gives no usable answer: asked again later, or held with the setting to mend; the key and the facts stay where
// they belong.
import { describe, expect, test } from "vitest";
import { key } from "../flow/world.ts";
import { answering, refusingUrl } from "../providers/odd-server.ts";
import { chatServer, fails, hangs, resets, says, type Reply } from "./chat-server.ts";
import { claim, modelWorld, secretKey } from "./model-world.ts";

type ModelWorld = ReturnType<typeof modelWorld>;

/** Neither the key anywhere, nor a fact in the log. */
function expectNothingLeaked(world: ModelWorld): void {
  expect(world.logged.join() + JSON.stringify(world.cases.stored(key))).not.toContain(secretKey);
  expect(world.logged.join()).not.toMatch(/marker|1249|1199/i);
}

const json = { "content-type": "application/json" };

/** Repeats what it was sent, as some do in their errors. */
const echoes =
  (status: number): Reply =>
  (response, { body, headers }) =>
    answering(
      status,
      { error: { message: body, headers } },
      { "content-type": "application/json" },
    )(response);

describe("an endpoint without an answer", () => {
  test.each<[string, Reply]>([
    ["answers 429", fails(429)],
    ["answers 500", echoes(500)],
    ["answers 503", fails(503)],
    ["answers 408", fails(408)],
    ["resets the connection", resets],
    ["hangs", hangs],
    [
      "hangs in the middle of its answer",
      (response) => void response.writeHead(200, { "content-type": "application/json" }).write("{"),
    ],
    [
      "breaks off its answer",
      (response) => {
        response.writeHead(200, { "content-length": "900" }).write("{");
        setTimeout(() => response.socket?.resetAndDestroy(), 20);
      },
    ],
    ["answers 200 with an error", answering(200, { error: { code: 502 } }, json)],
    ["answers 200 and breaks off", says(claim, { finishReason: "error" })],
    ["answers 200 and has no room", says(claim, { finishReason: "insufficient_system_resource" })],
    ["says more than a megabyte", says(claim, { after: " ".repeat(2 ** 20) })],
  ])("that %s is asked again later, and the case goes on", async (_what, silence) => {
    const server = await chatServer(silence, says(claim));
    const world = modelWorld(server.url, { callTimeoutMs: 500 });
    await world.tell(1);
    await world.run(1000);
    expect(world.keyed.received).toEqual([]);
    expect((await world.record()).decideRetry).toMatchObject({ transient: 1, defects: 0 });
    await world.run();
    expect((await world.record()).status).toBe("credit_requested");
    expect(world.keyed.applied).toHaveLength(3);
    expectNothingLeaked(world);
  });

  test("that nobody listens at is asked for hours, and then a person is", async () => {
    const world = modelWorld(await refusingUrl());
    await world.tell(1);
    await world.run(3 * 3_600_000);
    expect((await world.record()).held).toBeUndefined();
    await world.run(3 * 3_600_000);
    expect((await world.record()).held?.reason).toBe("DeciderFailing");
    expect((await world.reviews())[0]?.why).toContain("gave no answer");
    expectNothingLeaked(world);
  });

  test.each([
    ["retry-after", "120"],
    ["retry-after-ms", "120000"],
  ])("is left alone for as long as %s asks", async (name, value) => {
    const server = await chatServer(fails(429, {}, { [name]: value }), says(claim));
    const world = modelWorld(server.url);
    await world.tell(1);
    await world.run(119_000);
    expect(server.asked).toHaveLength(1);
    await world.run();
    expect((await world.record()).status).toBe("credit_requested");
  });

  test("that answers after its time-out is not believed", async () => {
    const lateAnswers: (() => void)[] = [];
    const server = await chatServer(
      (response, asked) => void lateAnswers.push(() => says(claim)(response, asked)),
      says({ ...claim, amount: "20.00" }),
    );
    const world = modelWorld(server.url, { callTimeoutMs: 500 });
    await world.tell(1);
    await world.run(1000);
    for (const answer of lateAnswers) answer();
    await world.run();
    expect(world.keyed.applied.map(({ payload }) => payload["amount"])).toEqual([
      "20.00",
      undefined,
      undefined,
    ]);
  });

  test("in the middle of a repair plans nothing of the first answer", async () => {
    const server = await chatServer(says("nonsense"), fails(503), says(claim));
    const world = modelWorld(server.url);
    await world.tell(1);
    await world.run(1000);
    expect(await world.effects()).toEqual([]);
    await world.run();
    expect(world.keyed.applied).toHaveLength(3);
  });
});

describe("an endpoint that turns the app down", () => {
  test.each<[string, Reply, RegExp]>([
    ["401", echoes(401), /401: check MODEL_API_KEY/],
    ["403", echoes(403), /403: check MODEL_API_KEY/],
    ["404", fails(404, { code: "DeploymentNotFound" }), /404 DeploymentNotFound: .*MODEL_NAME/],
    ["400", echoes(400), /400: .*MODEL_NAME names a model with structured output/],
    ["422", fails(422), /422: .*MODEL_NAME/],
    [
      "a page",
      answering(200, "<html>marker</html>", { "content-type": "text/html" }),
      /MODEL_ENDPOINT/,
    ],
    [
      "broken JSON",
      answering(200, "{marker", { "content-type": "application/json" }),
      /MODEL_ENDPOINT/,
    ],
    [
      "another API",
      answering(200, { ok: true }, { "content-type": "application/json" }),
      /MODEL_ENDPOINT/,
    ],
    ["nothing", answering(200, ""), /MODEL_ENDPOINT/],
  ])(
    "with %s holds the case after three tries, and names the setting",
    async (_what, reply, named) => {
      const server = await chatServer(reply);
      const world = modelWorld(server.url);
      await world.tell(1);
      await world.run();
      expect(server.asked).toHaveLength(3);
      expect((await world.record()).held?.reason).toBe("DeciderFailing");
      expect((await world.reviews())[0]?.why).toMatch(named);
      expect(world.logged.join()).toMatch(named);
      expect(world.keyed.received).toEqual([]);
      expectNothingLeaked(world);
    },
  );

  test.each([301, 302, 303, 307, 308])(
    "by a redirect (%i) keeps the key and the facts at home, and says what to set",
    async (status) => {
      const elsewhere = await chatServer(says(claim));
      const location = `${elsewhere.url}/chat/completions`;
      const server = await chatServer(answering(status, "", { location }));
      const world = modelWorld(server.url);
      await world.tell(1);
      await world.run();
      expect(elsewhere.asked).toEqual([]);
      expect((await world.reviews())[0]?.why).toContain("set MODEL_ENDPOINT to the address itself");
      expectNothingLeaked(world);
    },
  );
});
