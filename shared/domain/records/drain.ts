// A drain that is on, as the control document has it: who began it, why and when.
import { z } from "zod";

export const Drain = z.object({
  by: z.string(),
  byName: z.string().optional(),
  reason: z.string(),
  sinceMs: z.int(),
});
export type Drain = z.infer<typeof Drain>;
