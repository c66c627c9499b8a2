// A cursor over tokens with the few questions that the parser asks.
import { syntaxError } from "./query-error.ts";
import type { Refusal } from "../../protocol/refusals.ts";
import type { Token } from "./tokens.ts";
import { tokenize } from "./tokens.ts";

const RESERVED = new Set(
  "SELECT FROM WHERE AND OR NOT IN BETWEEN LIKE ESCAPE ORDER GROUP BY OFFSET LIMIT TOP DISTINCT VALUE AS JOIN ASC DESC EXISTS NULL TRUE FALSE UNDEFINED UDF".split(
    " ",
  ),
);

export interface Reader {
  next(): Token;
  peekWord(word: string): boolean;
  wordAhead(by: number): string;
  takeWord(word: string): boolean;
  expectWord(word: string): void;
  takeSymbol(symbol: string): boolean;
  takeSymbolOf<Symbol extends string>(symbols: readonly Symbol[]): Symbol | undefined;
  expectSymbol(symbol: string): void;
  takeString(): string | undefined;
  /** What may follow a dot or AS: no keyword, which has to be written as `c["order"]`. */
  expectName(): string;
  /** A word that is no keyword, if there is one. */
  takeIdentifier(): string | undefined;
  isReserved(upper: string): boolean;
  expectEnd(): void;
  unexpected(token: Token): Refusal;
}

export function readTokens(text: string): Reader {
  const tokens = tokenize(text);
  let at = 0;
  const peek = (by = 0): Token => tokens[at + by] ?? { kind: "end", at: text.length };
  const skipIf = (isThere: boolean): boolean => {
    if (isThere) at += 1;
    return isThere;
  };
  const unexpected = (token: Token): Refusal => unexpectedToken(text, token);

  const reader: Reader = {
    unexpected,
    next: () => {
      at += 1;
      return peek(-1);
    },
    wordAhead: (by) => {
      const token = peek(by);
      return token.kind === "word" ? token.upper : "";
    },
    peekWord: (word) => reader.wordAhead(0) === word,
    takeWord: (word) => skipIf(reader.peekWord(word)),
    expectWord: (word) => {
      if (!reader.takeWord(word)) throw unexpected(peek());
    },
    takeSymbol: (symbol) => {
      const token = peek();
      return skipIf(token.kind === "symbol" && token.text === symbol);
    },
    takeSymbolOf: (symbols) => symbols.find((symbol) => reader.takeSymbol(symbol)),
    expectSymbol: (symbol) => {
      if (!reader.takeSymbol(symbol)) throw unexpected(peek());
    },
    takeString: () => {
      const token = peek();
      return skipIf(token.kind === "string") && token.kind === "string" ? token.value : undefined;
    },
    expectName: () => {
      const token = peek();
      if (token.kind !== "word" || RESERVED.has(token.upper)) throw unexpected(token);
      at += 1;
      return token.text;
    },
    takeIdentifier: () => {
      const token = peek();
      if (token.kind !== "word" || RESERVED.has(token.upper)) return undefined;
      at += 1;
      return token.text;
    },
    isReserved: (upper) => RESERVED.has(upper),
    expectEnd: () => {
      if (peek().kind !== "end") throw unexpected(peek());
    },
  };
  return reader;
}

function unexpectedToken(text: string, token: Token): Refusal {
  if (token.kind === "end") return syntaxError("Syntax error, unexpected end-of-file", token.at);
  const shown = text.slice(token.at, token.at + 20).split(/\s/)[0] ?? "";
  return syntaxError(`Syntax error, incorrect syntax near '${shown}'.`, token.at);
}
