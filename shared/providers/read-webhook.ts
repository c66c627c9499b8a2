// A provider's webhook about something of ours, whose shape is not (or no longer) the one that its adapter reads: it is evidence, and must
// not be answered with thanks and dropped. Thrown, it is asked for again until a mended adapter reads it.
import type { z } from "zod";
import { TerminalFault } from "../domain/faults.ts";
import { fieldsOf } from "../domain/fields-of.ts";

export function readWebhook<Told>(provider: string, schema: z.ZodType<Told>, told: unknown): Told {
  const { data, error } = schema.safeParse(told);
  if (error === undefined) return data;
  throw new TerminalFault(
    `a webhook of ${provider} cannot be read, in: ${fieldsOf(error.issues)}.`,
  );
}
