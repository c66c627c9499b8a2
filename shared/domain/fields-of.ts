// Which fields a schema refused, by their paths: fit for a record, a log or an answer, because no value is in it. Pure.
import type { z } from "zod";

export function fieldsOf(issues: readonly z.core.$ZodIssue[], whole = "the whole"): string {
  const fields = issues.flatMap((issue) =>
    issue.code === "unrecognized_keys"
      ? issue.keys.map((name) => [...issue.path, name].join("."))
      : [issue.path.join(".") || whole],
  );
  return [...new Set(fields)].join(", ");
}
