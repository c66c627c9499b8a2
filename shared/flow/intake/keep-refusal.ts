// A signed delivery that was not taken leaves a record: who, which id, why, and the digest of what it said.
//
// The same refused delivery is one record, however often it comes: its id is made of what was refused and why. No
// body is kept. The partition is the tenant's and belongs to no case.
import { TransientFault } from "../../domain/faults.ts";
import { schemaVersion } from "../../domain/records/evidence.ts";
import type { Refusal } from "../../domain/records/inbox.ts";
import type { CaseStore } from "../../stores/ports.ts";
import type { Problem } from "../problem.ts";

/** No case has it: case ids have 26 characters. */
export const refusalsCaseId = "refusals";
const ttlSeconds = 90 * 24 * 60 * 60;
const createsMax = 3;

export interface RefusedDelivery {
  tenantId: string;
  source: string;
  eventId: string;
  documentIdPart: string;
  problem: Problem;
  bodyDigest: string;
  bodyBytes: number;
  receivedAtMs: number;
}

/** False when the store did not take it. */
export async function keepRefusal(
  cases: Pick<CaseStore, "createRefusal">,
  delivery: RefusedDelivery,
): Promise<boolean> {
  const { documentIdPart, problem, ...kept } = delivery;
  const { bodyDigest, source } = delivery;
  const { detail, errors = [], slug, status } = problem;
  const refusal: Refusal = {
    ...kept,
    id: `refusal:${source}:${documentIdPart.slice(0, 200)}:${slug}:${bodyDigest}`,
    type: "refusal",
    schemaVersion,
    caseId: refusalsCaseId,
    status,
    why: [detail, ...errors.map((error) => `${error.field} ${error.detail}`)]
      .join(" ")
      .slice(0, 2000),
    ttl: ttlSeconds,
  };
  try {
    for (let n = 1; n <= createsMax; n += 1) {
      if ((await cases.createRefusal(refusal)) !== "uncertain") return true;
    }
    return false;
  } catch (error) {
    if (error instanceof TransientFault) return false;
    throw error;
  }
}
