// The built app with DECIDER=model: the real settings, the real SDKs, and an endpoint that speaks chat completions.
import { expect, test } from "vitest";
import { chatServer, says } from "../agent/chat-server.ts";
import { isDone, openLocalWorld } from "./local-world.ts";

const key = "marker-of-the-key";

test("a case that a model decides is carried out once, though its worker dies while the model thinks", async () => {
  const proposal = { option: "claim", amount: "40.00", note: "Ten are agreed." };
  let thinking = 0;
  const model = await chatServer(() => {
    thinking += 1;
  }, says(proposal));
  const settings = {
    DECIDER: "model",
    MODEL_ENDPOINT: model.url,
    MODEL_NAME: "test-model",
    MODEL_API_KEY: key,
  };
  const world = await openLocalWorld({ settings });
  try {
    expect(await world.post(world.raised("INV-1"))).toBe(202);
    await expect.poll(() => thinking, { timeout: 20_000 }).toBe(1);
    await world.kill();
    const done = await world.until("INV-1", isDone);
    expect(model.asked.map(({ authorization }) => authorization)).toEqual([
      `Bearer ${key}`,
      `Bearer ${key}`,
    ]);
    expect(await world.applied("INV-1")).toEqual({
      "portal.request_credit_note.v1": 1,
      "portal.mark_invoice.v1": 1,
      "email.send_notification.v1": 1,
    });
    expect(JSON.stringify(await world.providers.journal())).toContain('"40.00"');
    expect(JSON.stringify(done) + JSON.stringify(world.events)).not.toContain(key);
  } finally {
    await world.close();
  }
});
