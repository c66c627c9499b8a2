// What the tenant's own system tells about an onboarding, and what a case knows of it.
import { z } from "zod";

/** "." and ".." are no segment of a path. */
const crmCase = z
  .string()
  .min(1)
  .max(128)
  .regex(/^(?!\.{1,2}$)/, "must not be . or ..");

export const Completed = z.object({
  customer: z.string().min(1).max(200),
  crmCase,
  outcome: z.enum(["completed", "declined", "withdrawn"]),
  accountOwnerEmail: z.email().max(254),
});
export const Reopened = z.object({ crmCase });

export const OnboardingFacts = Completed.partial().extend({
  crmCase,
  reopened: z.boolean().optional(),
});
export type OnboardingFacts = z.infer<typeof OnboardingFacts>;
