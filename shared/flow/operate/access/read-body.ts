// What an operator's request says, through its schemas; what is wrong is named by field, and never repeated.
import type { z } from "zod";
import { readJson, withoutByteOrderMark } from "../../intake/read-json.ts";
import { problem, type FieldError, type ProblemResponse } from "../../problem.ts";

const bodyCharactersMax = 16_384;

export type Read<Value> =
  | { kind: "read"; value: Value }
  | { kind: "wrong"; response: ProblemResponse };

export function readBody<Schema extends z.ZodType>(
  text: string,
  schema: Schema,
): Read<z.output<Schema>> {
  if (text.length > bodyCharactersMax) {
    return cannotRead("body", `has more than ${bodyCharactersMax} characters`);
  }
  if (text === "") return readFields({}, schema, "body");
  const json = readJson(withoutByteOrderMark(Buffer.from(text)));
  if (json.kind === "broken") return cannotRead(json.field, json.detail);
  return readFields(json.value, schema, "body");
}

function cannotRead(field: string, detail: string): Read<never> {
  return wrong("The body cannot be read.", [{ field, detail }]);
}

/** `whole` names the thing where no field is to blame. */
export function readFields<Schema extends z.ZodType>(
  fields: unknown,
  schema: Schema,
  whole: string,
): Read<z.output<Schema>> {
  const parsed = schema.safeParse(fields);
  if (parsed.success) return { kind: "read", value: parsed.data };
  const errors = parsed.error.issues.flatMap((issue): FieldError[] => {
    const place = issue.path.join(".");
    if (issue.code !== "unrecognized_keys")
      return [{ field: place || whole, detail: issue.message }];
    const detail = "is not known here; leave it out";
    return issue.keys.map((key) => ({ field: [...issue.path, key].join("."), detail }));
  });
  return wrong("Some fields are missing or wrong.", errors);
}

function wrong(detail: string, errors: FieldError[]): Read<never> {
  const response = problem({ status: 400, slug: "bad-request", detail, errors });
  return { kind: "wrong", response };
}
