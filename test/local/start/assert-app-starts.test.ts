// An app that refuses its settings or its definitions ends `npm start` at once, in the app's own words.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { assertAppStarts, whyCannotStart } from "../../../local/start/azure/assert-app-starts.ts";

let settings = "ok";
const server = createServer((_request, response) => {
  const checks = { settings, store: "failed", broker: "failed" };
  response.writeHead(503, { "content-type": "application/json" });
  response.end(JSON.stringify({ status: "notReady", checks }));
});
let url = "";
beforeAll(async () => {
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => void server.close());

test("an app that only waits for its stores is not refused", async () => {
  settings = "ok";
  await expect(assertAppStarts(url, () => undefined)).resolves.toBeUndefined();
});

test("what the app cannot start with is told as it says it, although its log comes later", async () => {
  settings = "failed";
  let asked = 0;
  const logged = () => ((asked += 1) > 2 ? "setting PAYLOAD_KEYS: wrong" : undefined);
  const starting = assertAppStarts(url, logged);
  await expect(starting).rejects.toThrow("the app refuses to start: setting PAYLOAD_KEYS: wrong");
});

test("only the line that says so is taken for the reason", () => {
  const line = JSON.stringify({ message: "the app cannot start", why: "w" });
  expect(whyCannotStart(line)).toBe("w");
  for (const other of ["{", "plain", '{"message":"the case","why":"w"}', "[]"]) {
    expect(whyCannotStart(other)).toBeUndefined();
  }
});
