// Query text to tokens. Keywords are not a token kind of their own: Cosmos DB reads them without
// regard to case, and the parser asks for a word where it expects one.
import { syntaxError } from "./query-error.ts";

export type Token =
  | { kind: "word"; text: string; upper: string; at: number }
  | { kind: "string"; value: string; at: number }
  | { kind: "number"; value: number; at: number }
  | { kind: "parameter"; name: string; at: number }
  | { kind: "symbol"; text: string; at: number }
  | { kind: "end"; at: number };

const SPACE = /(?:\s+|--[^\n]*|\/\*[\s\S]*?\*\/)+/y;
const WORD = /[A-Za-z_\u00aa-\uffff][\w\u00aa-\uffff]*/y;
const NUMBER = /0[xX][0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?/y;
const PARAMETER = /@[A-Za-z_]\w*/y;
const SYMBOL = /<=|>=|!=|<>|\|\||\?\?|>>>|<<|>>|[-+*/%&|^~=<>(){}[\],.:?]/y;
const STRING = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/y;

const ESCAPES: Record<string, string> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };

function unescape(quoted: string): string {
  return quoted
    .slice(1, -1)
    .replace(/\\(u([0-9a-fA-F]{4})|.)/gs, (_, whole: string, code: string | undefined) =>
      code === undefined ? (ESCAPES[whole] ?? whole) : String.fromCharCode(parseInt(code, 16)),
    );
}

export function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    return pattern.exec(text)?.[0];
  };
  for (;;) {
    at += take(SPACE)?.length ?? 0;
    if (at >= text.length) break;
    const word = take(WORD);
    const number = word === undefined ? take(NUMBER) : undefined;
    const quoted = take(STRING);
    const parameter = take(PARAMETER);
    const symbol = take(SYMBOL);
    const found = word ?? number ?? quoted ?? parameter ?? symbol;
    if (found === undefined) throw syntaxError(`Syntax error, invalid token '${text[at]}'`, at);
    if (word !== undefined)
      tokens.push({ kind: "word", text: word, upper: word.toUpperCase(), at });
    else if (number !== undefined) tokens.push({ kind: "number", value: Number(number), at });
    else if (quoted !== undefined) tokens.push({ kind: "string", value: unescape(quoted), at });
    else if (parameter !== undefined) tokens.push({ kind: "parameter", name: parameter, at });
    else tokens.push({ kind: "symbol", text: found, at });
    at += found.length;
  }
  tokens.push({ kind: "end", at });
  return tokens;
}
