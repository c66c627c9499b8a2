// ASP.NET route templates, as an HTTP trigger's `route` is written: literals (case ignored), `{x}`, `{x?}`,
// `{x=default}`, `{*rest}`, `{**rest}`, inline constraints, several parameters in one segment.
// A constraint that does not hold is "no match" (404), never 400.
import { FunctionFault } from "../settings/app-settings.ts";

export type RouteParams = Record<string, string>;

type Check = (value: string) => boolean;
type Parameter = {
  name: string;
  checks: Check[];
  isCatchAll: boolean;
  isOptional: boolean;
  fallback: string | undefined;
};
type Part = { literal: string } | { parameter: Parameter };
type Segment = { parts: Part[]; pattern: RegExp; parameters: Parameter[] };

export type RouteTemplate = { text: string; segments: Segment[] };

const GUID = /^(\{|\()?[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}(\}|\))?$/i;
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

function wholeWithin(value: string, min: bigint, max: bigint): boolean {
  if (!/^[+-]?\d+$/.test(value)) return false;
  const number = BigInt(value.replace(/^\+/, ""));
  return number >= min && number <= max;
}

const LONG_MIN = -(2n ** 63n);
const LONG_MAX = 2n ** 63n - 1n;

function checkOf(name: string, argument: string): Check {
  const [first = "", second = ""] = argument.split(",").map((text) => text.trim());
  switch (name.toLowerCase()) {
    case "int":
      return (value) => wholeWithin(value, -(2n ** 31n), 2n ** 31n - 1n);
    case "long":
      return (value) => wholeWithin(value, LONG_MIN, LONG_MAX);
    case "bool":
      return (value) => /^(true|false)$/i.test(value);
    case "guid":
      return (value) => GUID.test(value);
    case "alpha":
      return (value) => /^[a-z]*$/i.test(value);
    case "datetime":
      return (value) => !Number.isNaN(Date.parse(value));
    case "decimal":
    case "double":
    case "float":
      return (value) => NUMBER.test(value);
    case "min":
      return (value) => wholeWithin(value, BigInt(first), LONG_MAX);
    case "max":
      return (value) => wholeWithin(value, LONG_MIN, BigInt(first));
    case "range":
      return (value) => wholeWithin(value, BigInt(first), BigInt(second));
    case "minlength":
      return (value) => value.length >= Number(first);
    case "maxlength":
      return (value) => value.length <= Number(first);
    case "length":
      return second === ""
        ? (value) => value.length === Number(first)
        : (value) => value.length >= Number(first) && value.length <= Number(second);
    case "required":
      return (value) => value !== "";
    case "regex": {
      const pattern = new RegExp(argument, "i");
      return (value) => pattern.test(value);
    }
    default:
      throw new FunctionFault(`The route constraint "${name}" is not known.`);
  }
}

/** Reads `:int:range(1,5)`; a bracketed argument may hold any character, also ":" and ")". */
function checksOf(text: string): { checks: Check[]; rest: string } {
  const checks: Check[] = [];
  let rest = text;
  while (rest.startsWith(":")) {
    const name = /^:([a-z]+)/i.exec(rest)?.[1];
    if (name === undefined) throw new FunctionFault(`"${text}" is not a route constraint.`);
    rest = rest.slice(1 + name.length);
    let argument = "";
    if (rest.startsWith("(")) {
      const close = /\)(?=:[a-z]|=|\?$|$)/i.exec(rest)?.index;
      if (close === undefined)
        throw new FunctionFault(`"${text}" has a bracket that is not closed.`);
      argument = rest.slice(1, close);
      rest = rest.slice(close + 1);
    }
    checks.push(checkOf(name, argument));
  }
  return { checks, rest };
}

function parameterOf(text: string): Parameter {
  const match = /^(\*{0,2})([^:=?*/{}]+)/.exec(text);
  const [whole = "", stars = "", name = ""] = match ?? [];
  if (name === "") throw new FunctionFault(`"{${text}}" is not a route parameter.`);
  const { checks, rest } = checksOf(text.slice(whole.length));
  return {
    name,
    checks,
    isCatchAll: stars !== "",
    isOptional: rest.endsWith("?"),
    fallback: rest.startsWith("=") ? rest.slice(1) : undefined,
  };
}

/** Splits at "/" outside braces; `{{` and `}}` are braces that mean themselves. */
function splitSegments(route: string): string[] {
  const segments = [""];
  let depth = 0;
  for (let at = 0; at < route.length; at += 1) {
    const character = route.charAt(at);
    if ((character === "{" || character === "}") && route.charAt(at + 1) === character) {
      segments[segments.length - 1] += character + character;
      at += 1;
      continue;
    }
    if (character === "{") depth += 1;
    if (character === "}") depth -= 1;
    if (character === "/" && depth === 0) segments.push("");
    else segments[segments.length - 1] += character;
  }
  if (depth !== 0) throw new FunctionFault(`The route "${route}" has a brace that is not closed.`);
  return segments;
}

function escapeForRegExp(text: string): string {
  return text.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);
}

function segmentOf(text: string): Segment {
  const parts: Part[] = [];
  let rest = text;
  while (rest !== "") {
    const parameter = /^\{((?:[^{}]|\{\{|\}\})+)\}(?!\})/.exec(rest);
    if (parameter !== null) {
      const inner = (parameter[1] ?? "").replaceAll("{{", "{").replaceAll("}}", "}");
      parts.push({ parameter: parameterOf(inner) });
      rest = rest.slice(parameter[0].length);
      continue;
    }
    const literal = /^(?:[^{}]|\{\{|\}\})+/.exec(rest)?.[0];
    if (literal === undefined) throw new FunctionFault(`"${text}" is not a route segment.`);
    parts.push({ literal: literal.replaceAll("{{", "{").replaceAll("}}", "}") });
    rest = rest.slice(literal.length);
  }
  // A greedy group makes the right-most literal win, as in ASP.NET.
  const source = parts
    .map((part) => ("literal" in part ? escapeForRegExp(part.literal) : "(.+)"))
    .join("");
  return {
    parts,
    pattern: new RegExp(`^${source}$`, "is"),
    parameters: parts.flatMap((part) => ("parameter" in part ? [part.parameter] : [])),
  };
}

export function routeTemplate(route: string): RouteTemplate {
  const text = route.replace(/^\/+|\/+$/g, "");
  const segments = text === "" ? [] : splitSegments(text).map(segmentOf);
  return { text, segments };
}

function holds(parameter: Parameter, value: string): boolean {
  return parameter.checks.every((check) => check(value));
}

function matchSegment(segment: Segment, value: string, params: RouteParams): boolean {
  const match = segment.pattern.exec(value);
  if (match === null) return false;
  return segment.parameters.every((parameter, index) => {
    const found = match[index + 1] ?? "";
    params[parameter.name] = found;
    return holds(parameter, found);
  });
}

/** The parameters of a path given as decoded segments, or undefined when it does not match. */
export function matchRoute(template: RouteTemplate, path: string[]): RouteParams | undefined {
  const params: RouteParams = {};
  for (const [index, segment] of template.segments.entries()) {
    const [only] = segment.parameters;
    if (only?.isCatchAll === true) {
      const rest = path.slice(index).join("/") || only.fallback;
      if (rest === undefined) return params;
      params[only.name] = rest;
      return holds(only, rest) ? params : undefined;
    }
    const value = path[index];
    if (value === undefined || value === "") {
      if (segment.parts.length !== 1 || only === undefined) return undefined;
      if (only.fallback !== undefined) params[only.name] = only.fallback;
      else if (!only.isOptional) return undefined;
      continue;
    }
    if (!matchSegment(segment, value, params)) return undefined;
  }
  return path.length <= template.segments.length ? params : undefined;
}
