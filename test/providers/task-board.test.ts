// The task board's adapter: a hit with our marker and our payload settles; a miss never proves anything.
import { describe, expect, test } from "vitest";
import { digestOf } from "../../shared/domain/canonical-json.ts";
import type { SendRequest } from "../../shared/domain/definitions.ts";
import { taskBoard } from "../../shared/providers/task-board.ts";
import { startWorld } from "../local/providers/world.ts";
import { answering, oddServer } from "./odd-server.ts";

const payload = { customer: "Contoso & Söhne", title: "Welcome" };
const marker = "f".repeat(26);
const request: SendRequest = {
  action: "tasks.create_welcome_task.v1",
  account: "acme",
  binding: { operationId: marker, target: payload.customer, payloadDigest: digestOf(payload) },
  payload,
  fence: 1,
  timeoutMs: 2000,
};
const at = (baseUrl: string) => taskBoard({ baseUrl, token: "t" });
const task = { id: "TK-1", ...payload, marker };
const receipt = { boundTo: request.binding };

async function boardWorld() {
  const world = await startWorld();
  return { ...world, board: at(`${world.url}/task-board`) };
}

async function found(items: unknown[]) {
  const server = await oddServer(answering(200, { items }));
  return at(server.url).lookup?.(request);
}

describe("a task that the board takes", () => {
  test("is one receipt for our marker and payload", async () => {
    const { board, applied } = await boardWorld();
    expect(await board.send(request)).toMatchObject({ kind: "receipt", receipt });
    expect(await applied()).toMatchObject([{ operation: marker, target: payload.customer }]);
  });

  test("and whose answer is lost, is shown by the search once its lag has passed (cases.md 51)", async () => {
    const { board, applied, local } = await boardWorld();
    await local.order([{ provider: "task-board", fault: "commitThenDrop", searchLagMs: 300 }]);
    expect((await board.send(request)).kind).toBe("noAnswer");
    expect(await board.lookup?.(request)).toEqual({ kind: "absent" });
    await expect.poll(() => board.lookup?.(request)).toMatchObject({ kind: "found", receipt });
    expect(await applied()).toHaveLength(1);
  });
});

describe("a search", () => {
  test("that shows a task of somebody else, whose marker contains ours, shows nothing of ours", async () => {
    const { board, local } = await boardWorld();
    await local.order([{ provider: "task-board", fault: "foreignMarker" }]);
    expect((await board.send(request)).kind).toBe("noAnswer");
    expect(await board.lookup?.(request)).toEqual({ kind: "absent" });
  });

  test("that shows our marker on another payload is bound to that payload", async () => {
    const verdict = await found([{ ...task, title: "Goodbye" }]);
    if (verdict?.kind !== "found") throw new Error("nothing was found");
    expect(verdict.receipt.boundTo.payloadDigest).not.toBe(request.binding.payloadDigest);
  });

  test("finds ours among odd ones", async () => {
    expect(await found([null, { id: 7 }, { ...task, marker: `x${marker}` }, task])).toMatchObject({
      kind: "found",
      receipt,
    });
  });

  test("that shows ours in letters composed otherwise shows ours", async () => {
    const customer = payload.customer.normalize("NFD");
    expect(await found([{ ...task, customer }])).toMatchObject({ kind: "found", receipt });
  });

  test("that shows two of ours, as after a proxy that sent one call twice, shows both", async () => {
    const verdict = await found([task, { ...task, id: "TK-2" }]);
    expect(verdict).toMatchObject({
      receipt: { providerId: "TK-1" },
      others: [{ providerId: "TK-2", boundTo: request.binding }],
    });
  });

  test("that finds the very same task without our marker, finds nothing of ours", async () => {
    expect(await found([{ ...task, marker: "" }])).toEqual({ kind: "absent" });
  });

  test.each([
    [500, { items: [] }],
    [404, { items: [] }],
    [200, {}],
    [200, "<html>"],
  ])("answered with %d %j shows nothing", async (status, body) => {
    const server = await oddServer(answering(status, body));
    expect(await at(server.url).lookup?.(request)).toMatchObject({ kind: "inconclusive" });
  });
});
