// The part of a zod schema that structured output can hold a model to, as JSON Schema.
//
// The endpoints take a subset: every field required, no other fields, no patterns, lengths or bounds; a keyword that they do not
// know is a 400. So only a closed list of keywords is sent. Whatever the list drops is still checked, by zod itself, when
// the answer is there: the wire schema helps the model, and guards nothing.
import { z } from "zod";

type Json = z.core.util.JSONType;
type JsonObject = Readonly<Record<string, Json>>;

const sent = ["type", "description", "enum", "const", "items", "anyOf"] as const;

/** Throws when the schema is no object, or has a field that may be missing: strict output knows neither. */
export function wireSchemaOf(schema: z.ZodType): Record<string, Json> {
  const wire = pruned(z.toJSONSchema(schema, { reused: "inline" }) as JsonObject);
  if (wire["type"] !== "object") throw new Error("a model is asked for an object.");
  return wire;
}

function pruned(schema: JsonObject): Record<string, Json> {
  const kept: Record<string, Json> = {};
  for (const keyword of sent) {
    const value = schema[keyword];
    if (value === undefined) continue;
    kept[keyword] = keyword === "items" || keyword === "anyOf" ? inner(value) : value;
  }
  const { properties } = schema;
  if (!isObject(properties)) return kept;
  const names = Object.keys(properties);
  const required = schema["required"];
  const optional = names.filter((name) => !Array.isArray(required) || !required.includes(name));
  if (optional.length > 0) {
    throw new Error(`a model is asked for every field; make nullable: ${optional.join(", ")}.`);
  }
  const fields = names.map((name) => [name, inner(properties[name] ?? {})] as const);
  return {
    ...kept,
    properties: Object.fromEntries(fields),
    required: names,
    additionalProperties: false,
  };
}

function inner(value: Json): Json {
  if (Array.isArray(value)) return value.map(inner);
  return isObject(value) ? pruned(value) : value;
}

function isObject(value: Json | undefined): value is Record<string, Json> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
