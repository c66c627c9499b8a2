// The parsed query. One tree feeds three readers: the compiler (what each row yields), the pushdown
// (what SQLite may preselect) and the planner (what the client's own pipeline needs to know).
import type { Json } from "../../store/json.ts";

export type BinaryOperator =
  | "OR"
  | "AND"
  | "="
  | "!="
  | "<"
  | "<="
  | ">"
  | ">="
  | "|"
  | "^"
  | "&"
  | "<<"
  | ">>"
  | ">>>"
  | "||"
  | "+"
  | "-"
  | "*"
  | "/"
  | "%"
  | "??";

export type Expression =
  | { kind: "literal"; value: Json | undefined }
  | { kind: "parameter"; name: string; at: number }
  | { kind: "name"; name: string; at: number }
  | { kind: "member"; of: Expression; key: Expression }
  | { kind: "unary"; operator: "NOT" | "-" | "+" | "~"; operand: Expression }
  | { kind: "binary"; operator: BinaryOperator; left: Expression; right: Expression }
  | { kind: "in"; needle: Expression; haystack: Expression[]; negated: boolean }
  | { kind: "between"; value: Expression; low: Expression; high: Expression; negated: boolean }
  | {
      kind: "like";
      text: Expression;
      pattern: Expression;
      escape?: Expression;
      negated: boolean;
    }
  | { kind: "conditional"; test: Expression; yes: Expression; no: Expression }
  | { kind: "call"; name: string; args: Expression[]; at: number }
  | { kind: "object"; entries: { key: string; value: Expression }[] }
  | { kind: "array"; items: Expression[] }
  | { kind: "exists"; query: Query }
  | { kind: "arrayOf"; query: Query }
  | { kind: "subquery"; query: Query };

export type Selection =
  | { kind: "star" }
  | { kind: "value"; expression: Expression }
  | { kind: "list"; items: { expression: Expression; alias: string }[] };

/** `alias` bound to the whole of a path, or (`each`) to every element of it. */
export interface Source {
  alias: string;
  each: boolean;
  /** Undefined: the container itself. */
  path?: Expression;
  query?: Query;
}

export interface Query {
  distinct: boolean;
  top?: Expression;
  selection: Selection;
  from: Source[];
  where?: Expression;
  groupBy: Expression[];
  orderBy: { expression: Expression; descending: boolean }[];
  offset?: Expression;
  limit?: Expression;
}

/** `c.a.b` or `c["a"].b` as `["a", "b"]` below the name it starts from; anything else is undefined. */
export function propertyPath(expression: Expression): { root: string; path: string[] } | undefined {
  const path: string[] = [];
  let at = expression;
  while (at.kind === "member") {
    if (at.key.kind !== "literal" || typeof at.key.value !== "string") return undefined;
    path.unshift(at.key.value);
    at = at.of;
  }
  return at.kind === "name" ? { root: at.name, path } : undefined;
}

/** The name a selected property has without AS. */
export function ownName(expression: Expression): string | undefined {
  if (expression.kind === "name") return expression.name;
  if (expression.kind !== "member" || expression.key.kind !== "literal") return undefined;
  return typeof expression.key.value === "string" ? expression.key.value : undefined;
}
