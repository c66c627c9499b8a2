// What a person did, or tried to do: who, what, why, when, and what came of it.
//
// Written as `asked` before the action, and finished after it. One that stays `asked` belongs to a request that got no answer;
// the case itself tells what became of it. It decides nothing.
import { z } from "zod";
import { schemaVersion } from "./evidence.ts";

/** In place of the case id, for what concerns the whole tenant; no case id looks like it. */
export const tenantRecords = "tenant";

/** In place of the tenant, for what concerns the whole deployment; no tenant id looks like it. */
export const deploymentRecords = "_";

export const OperatorRecord = z.object({
  id: z.string(),
  type: z.literal("operatorRecord"),
  schemaVersion: z.literal(schemaVersion),
  tenantId: z.string(),
  caseId: z.string(),
  /** The route's name. */
  action: z.string(),
  /** The review, approval, grant or case that it is about. */
  subject: z.string(),
  by: z.string(),
  byName: z.string().optional(),
  reason: z.string().optional(),
  /** What was chosen, in the words of the request. */
  details: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
  atMs: z.int(),
  outcome: z.object({
    kind: z.enum(["asked", "done", "refused", "unanswered"]),
    detail: z.string().optional(),
    atMs: z.int(),
  }),
});
export type OperatorRecord = z.infer<typeof OperatorRecord>;
