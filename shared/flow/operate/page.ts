// Pages of the operators' lists: how many rows, and an opaque cursor that says where to go on.
import { z } from "zod";
import { Position } from "../../stores/operator-ports.ts";

/** Rows of one page; more would be read by nobody. */
export const Max = z.coerce.number().int().min(1).max(100).default(25);

/** The cursor of another query, or one that somebody has typed, is refused by name. */
export function cursorOf<Schema extends z.ZodType>(schema: Schema) {
  return z
    .string()
    .max(40_000)
    .transform((text, context): z.output<Schema> => {
      const parsed = schema.safeParse(jsonOf(text));
      if (parsed.success) return parsed.data;
      context.addIssue({ code: "custom", message: "is no cursor of this list; begin without one" });
      return z.NEVER;
    })
    .optional()
    .describe("`next` of the page before; leave it out for the first page.");
}

export const Cursor = cursorOf(Position);
/** `next` of an answer. */
export const Next = z.string().optional().describe("Absent on the last page.");

export function cursorText(position: object | undefined): { next?: string } {
  if (position === undefined) return {};
  return { next: Buffer.from(JSON.stringify(position)).toString("base64url") };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, "base64url").toString("utf8"));
  } catch {
    return undefined;
  }
}
