// The paths of the fields that a schema refused. Without values, so they may stand in a record, a log or an answer. Pure.
import type { z } from "zod";

export function fieldsOf(issues: readonly z.core.$ZodIssue[], whole = "the whole"): string {
  const fields = issues.flatMap((issue) =>
    issue.code === "unrecognized_keys"
      ? issue.keys.map((name) => [...issue.path, name].join("."))
      : [issue.path.join(".") || whole],
  );
  return [...new Set(fields)].join(", ");
}
