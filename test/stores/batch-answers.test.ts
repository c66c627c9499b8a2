// What a batch's answer in parts means, status by status: those that a service gives too seldom to wait for (429, 449, 503 of one operation,
// answers without an ETag or cut short). What really fails in a batch is tested on the wire: case-store.contract.ts.
import type { Container, OperationResponse } from "@azure/cosmos";
import { describe, expect, test } from "vitest";
import { TerminalFault } from "../../shared/domain/faults.ts";
import { writeBatch } from "../../shared/stores/cosmos/write-batch.ts";
import type { WriteOutcome } from "../../shared/stores/ports.ts";
import { aBatch, anEffect, newCaseKey } from "./documents.ts";

/** Log, case, effect; answered with these statuses. */
function answered(
  statuses: readonly number[] | undefined,
  options: { caseEtag?: string; etag?: string } = {},
): Promise<WriteOutcome> {
  const { caseEtag, etag } = options;
  const result = statuses?.map((statusCode, index) => ({
    statusCode,
    ...(index === 1 && etag !== undefined ? { eTag: etag } : {}),
  }));
  const items = { batch: async () => ({ result: result as OperationResponse[], headers: {} }) };
  const key = newCaseKey();
  const batch = aBatch(key, { creates: [anEffect(key)], ...(caseEtag && { caseEtag }) });
  return writeBatch({ container: { items } as unknown as Container }, batch);
}

describe("a batch of which one operation is answered with", () => {
  test.each([408, 410, 429, 449, 500, 502, 503])(
    "%d is neither written nor refused: nobody knows, and it is sent again under its own name",
    async (status) => {
      for (const parts of [
        [status, 424, 424],
        [424, status, 424],
        [424, 424, status],
      ]) {
        expect(await answered(parts)).toMatchObject({ kind: "uncertain" });
      }
    },
  );

  test.each([400, 401, 403, 413])("%d is refused for good, and named", async (status) => {
    const written = answered([424, 424, status]);
    await expect(written).rejects.toThrow(TerminalFault);
    await expect(written).rejects.toThrow(/^effect effect:.*, \d+ bytes: /);
  });

  test.each<[string, readonly number[] | undefined, object, object]>([
    [
      "success, with the case's ETag",
      [201, 200, 201],
      { etag: "e2" },
      { kind: "committed", caseEtag: "e2" },
    ],
    ["success, without any ETag", [201, 200, 201], {}, { kind: "alreadyWritten" }],
    ["success, in fewer parts than it had", [201, 200], { etag: "e2" }, { kind: "uncertain" }],
    ["no parts", [], {}, { kind: "uncertain" }],
    ["nothing", undefined, {}, { kind: "uncertain" }],
    ["all parts failed with another", [424, 424, 424], {}, { kind: "uncertain" }],
    ["its own name as known", [409, 424, 424], {}, { kind: "alreadyWritten" }],
    ["the case as moved", [424, 412, 424], { caseEtag: "e1" }, { kind: "superseded" }],
    ["the case as gone", [424, 404, 424], { caseEtag: "e1" }, { kind: "superseded" }],
    ["the case as there already", [424, 409, 424], {}, { kind: "superseded" }],
  ])("%s", async (_what, statuses, options, outcome) => {
    expect(await answered(statuses, options)).toMatchObject(outcome);
  });

  test("an effect as there already, of a case that is as it was read, is a defect that names it", async () => {
    await expect(answered([424, 424, 409])).rejects.toThrow(/yet effect effect:.* answers 409/);
  });
});
