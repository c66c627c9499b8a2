// A small JSON body of an operator's request, through its schema; what is wrong is named by field.
import type { z } from "zod";
import { problem, type ProblemResponse } from "../problem.ts";

const bodyCharactersMax = 16_384;

export type Body<Value> =
  | { kind: "read"; value: Value }
  | { kind: "wrong"; response: ProblemResponse };

export function readBody<Value>(text: string, schema: z.ZodType<Value>): Body<Value> {
  if (text.length > bodyCharactersMax) return wrong("The body is too large.");
  let json: unknown;
  try {
    json = text === "" ? {} : JSON.parse(text);
  } catch {
    return wrong("The body is not JSON.");
  }
  const parsed = schema.safeParse(json);
  if (parsed.success) return { kind: "read", value: parsed.data };
  const errors = parsed.error.issues.map(({ path, message }) => ({
    field: path.join(".") || "body",
    detail: message,
  }));
  return wrong("Some fields are missing or wrong.", errors);
}

function wrong(detail: string, errors?: { field: string; detail: string }[]): Body<never> {
  const response = problem({ status: 400, slug: "bad-request", detail, ...(errors && { errors }) });
  return { kind: "wrong", response };
}
