// A cursor over tokens with the few questions that the parser asks.
import { syntaxError } from "./query-error.ts";
import type { Refusal } from "../protocol/refusals.ts";
import type { Token } from "./tokens.ts";
import { tokenize } from "./tokens.ts";

const RESERVED = new Set(
  "SELECT FROM WHERE AND OR NOT IN BETWEEN LIKE ESCAPE ORDER GROUP BY OFFSET LIMIT TOP DISTINCT VALUE AS JOIN ASC DESC EXISTS".split(
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
  /** Any word, keyword or not: what may follow a dot. */
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

  const reader: Reader = {
    next: () => {
      const token = peek();
      at += 1;
      return token;
    },
    peekWord: (word) => {
      const token = peek();
      return token.kind === "word" && token.upper === word;
    },
    wordAhead: (by) => {
      const token = peek(by);
      return token.kind === "word" ? token.upper : "";
    },
    takeWord: (word) => {
      const isThere = reader.peekWord(word);
      if (isThere) at += 1;
      return isThere;
    },
    expectWord: (word) => {
      if (!reader.takeWord(word)) throw reader.unexpected(peek());
    },
    takeSymbol: (symbol) => {
      const token = peek();
      const isThere = token.kind === "symbol" && token.text === symbol;
      if (isThere) at += 1;
      return isThere;
    },
    takeSymbolOf: (symbols) => symbols.find((symbol) => reader.takeSymbol(symbol)),
    expectSymbol: (symbol) => {
      if (!reader.takeSymbol(symbol)) throw reader.unexpected(peek());
    },
    takeString: () => {
      const token = peek();
      if (token.kind !== "string") return undefined;
      at += 1;
      return token.value;
    },
    expectName: () => {
      const token = peek();
      if (token.kind !== "word") throw reader.unexpected(token);
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
      const token = peek();
      if (token.kind !== "end") throw reader.unexpected(token);
    },
    unexpected: (token) => {
      if (token.kind === "end") return syntaxError("Syntax error, unexpected end-of-file", token.at);
      const shown = text.slice(token.at, token.at + 20).split(/\s/)[0] ?? "";
      return syntaxError(`Syntax error, incorrect syntax near '${shown}'.`, token.at);
    },
  };
  return reader;
}
