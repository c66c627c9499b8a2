// The CRM's adapter against the local CRM: what is looked up by our operation settles, what merely looks alike does not.
import { describe, expect, test } from "vitest";
import { digestOf } from "../../shared/domain/canonical-json.ts";
import type { SendRequest } from "../../shared/domain/definitions.ts";
import { crm } from "../../shared/providers/crm.ts";
import { startWorld } from "../local/providers/world.ts";
import { answering, oddServer, refusingUrl } from "./odd-server.ts";

const payload = { case: "CASE 318/ü", outcome: "completed" };
const request: SendRequest = {
  action: "crm.close_case.v1",
  account: "acme",
  binding: { operationId: "d".repeat(26), target: payload.case, payloadDigest: digestOf(payload) },
  payload,
  fence: 1,
  timeoutMs: 2000,
};
const at = (baseUrl: string) => crm({ baseUrl, token: "t" });

async function crmWorld() {
  const world = await startWorld();
  return { ...world, crm: at(`${world.url}/crm`) };
}

const echo = { id: "CC-1", ...payload, operation: request.binding.operationId, version: 2 };
const receipt = { boundTo: request.binding, stage: "delivered" };

describe("a case that the CRM closes", () => {
  test("is one receipt bound to operation, case and outcome, with the case's version", async () => {
    const { crm, applied } = await crmWorld();
    const answer = await crm.send(request);
    expect(answer).toMatchObject({ kind: "receipt", receipt });
    expect(answer).toMatchObject({ receipt: { providerId: "CC-000001", content: { version: 2 } } });
    expect(await applied()).toMatchObject([{ target: payload.case, account: "acme" }]);
  });

  test("and whose answer is lost, is found by the look-up, as the same receipt", async () => {
    const { crm, applied, local } = await crmWorld();
    await local.order([{ provider: "crm", fault: "commitThenDrop" }]);
    expect((await crm.send(request)).kind).toBe("noAnswer");
    expect(await crm.lookup?.(request)).toMatchObject({ kind: "found", receipt });
    expect(await applied()).toHaveLength(1);
  });
});

describe("a look-up", () => {
  test("of an operation that the CRM has not is an absence", async () => {
    const { crm } = await crmWorld();
    expect(await crm.lookup?.(request)).toEqual({ kind: "absent" });
  });

  test("under another account finds nothing of ours", async () => {
    const { crm } = await crmWorld();
    await crm.send(request);
    expect(await crm.lookup?.({ ...request, account: "globex" })).toEqual({ kind: "absent" });
  });

  test.each([
    [404, "<html>not found</html>"],
    [404, { code: "not_found" }],
    [401, { code: "no_such_operation" }],
    [500, { code: "no_such_operation" }],
    [302, ""],
    [200, { code: "no_such_operation" }],
    [200, { case: payload.case, outcome: "completed", status: "closed" }],
    [200, "It works!"],
  ])("answered with %d %j shows nothing", async (status, body) => {
    const server = await oddServer(answering(status, body));
    expect(await at(server.url).lookup?.(request)).toMatchObject({ kind: "inconclusive" });
  });

  test("that cannot reach the CRM shows nothing", async () => {
    expect(await at(await refusingUrl()).lookup?.(request)).toMatchObject({ kind: "inconclusive" });
  });

  test.each([
    ["another operation", { operation: "e".repeat(26) }, "operationId"],
    ["another case", { case: "CASE-9" }, "target"],
    ["another outcome", { outcome: "lost" }, "payloadDigest"],
  ] as const)("that tells of %s is bound to that, not to us", async (_what, changed, field) => {
    const server = await oddServer(answering(200, { ...echo, ...changed }));
    const verdict = await at(server.url).lookup?.(request);
    if (verdict?.kind !== "found") throw new Error("nothing was found");
    expect(verdict.receipt.boundTo[field]).not.toBe(request.binding[field]);
  });
});

test("a look-up that names the case in letters composed otherwise finds ours", async () => {
  const told = { ...echo, case: payload.case.normalize("NFD") };
  const server = await oddServer(answering(200, told));
  expect(await at(server.url).lookup?.(request)).toMatchObject({ kind: "found", receipt });
});

describe("a case that somebody else closed", () => {
  test("refuses nothing and confirms nothing: whose it is, the look-up tells (cases.md 52)", async () => {
    const { crm, applied, local } = await crmWorld();
    await local.order([{ provider: "crm", fault: "foreignCloser", reason: "eve" }]);
    expect(await crm.send(request)).toMatchObject({ kind: "noAnswer", alreadyThere: true });
    expect(await crm.lookup?.(request)).toEqual({ kind: "absent" });
    expect(await applied()).toEqual([]);
  });

  test("closes once: a second close, whoever asks, changes nothing", async () => {
    const { crm, applied } = await crmWorld();
    const both = await Promise.all([crm.send(request), crm.send(request)]);
    expect(both.map(({ kind }) => kind).toSorted()).toEqual(["noAnswer", "receipt"]);
    expect(await applied()).toHaveLength(1);
  });
});

test("a payload that is no close of a case is not sent", async () => {
  const server = await oddServer(answering(200, echo));
  const odd = { ...request, payload: { case: "..", outcome: "completed" } };
  expect(await at(server.url).send(odd)).toMatchObject({ kind: "notSent" });
  expect(server.sockets).toEqual([]);
});
