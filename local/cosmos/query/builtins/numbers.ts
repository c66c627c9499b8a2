// Built-in mathematical functions: undefined for anything but numbers, and for results that JSON
// cannot hold.
import type { Value } from "../../store/json.ts";
import type { BuiltIn } from "./strings.ts";

function ofNumbers(apply: (...numbers: number[]) => number): BuiltIn {
  return (args) => {
    const numbers = args.filter((arg) => typeof arg === "number");
    if (numbers.length !== args.length) return undefined;
    const result = apply(...numbers);
    return Number.isFinite(result) ? result : undefined;
  };
}

function ofIntegers(apply: (left: bigint, right: bigint) => bigint): BuiltIn {
  return ([left, right]) => {
    if (!Number.isInteger(left) || !Number.isInteger(right)) return undefined;
    try {
      return Number(BigInt.asIntN(64, apply(BigInt(left as number), BigInt(right as number))));
    } catch {
      return undefined;
    }
  };
}

function round(value: number, digits = 0): number {
  const scale = 10 ** digits;
  const scaled = Math.abs(value) * scale;
  return (Math.sign(value) * Math.round(scaled)) / scale;
}

function numberBin([value, size]: Value[]): Value {
  if (typeof value !== "number") return undefined;
  const step = size ?? 1;
  if (typeof step !== "number" || step === 0) return undefined;
  return Math.floor(value / step) * step;
}

export const NUMBER_FUNCTIONS: Record<string, BuiltIn> = {
  ABS: ofNumbers(Math.abs),
  ACOS: ofNumbers(Math.acos),
  ASIN: ofNumbers(Math.asin),
  ATAN: ofNumbers(Math.atan),
  ATN2: ofNumbers(Math.atan2),
  CEILING: ofNumbers(Math.ceil),
  COS: ofNumbers(Math.cos),
  COT: ofNumbers((value) => 1 / Math.tan(value)),
  DEGREES: ofNumbers((value) => (value * 180) / Math.PI),
  EXP: ofNumbers(Math.exp),
  FLOOR: ofNumbers(Math.floor),
  LOG: ofNumbers((value, base) =>
    base === undefined ? Math.log(value) : Math.log(value) / Math.log(base),
  ),
  LOG10: ofNumbers(Math.log10),
  PI: () => Math.PI,
  POWER: ofNumbers((value, exponent) => value ** (exponent ?? Number.NaN)),
  RADIANS: ofNumbers((value) => (value * Math.PI) / 180),
  RAND: () => Math.random(),
  ROUND: ofNumbers(round),
  SIGN: ofNumbers(Math.sign),
  SIN: ofNumbers(Math.sin),
  SQRT: ofNumbers(Math.sqrt),
  SQUARE: ofNumbers((value) => value * value),
  TAN: ofNumbers(Math.tan),
  TRUNC: ofNumbers(Math.trunc),
  NUMBERBIN: numberBin,
  INTADD: ofIntegers((left, right) => left + right),
  INTSUB: ofIntegers((left, right) => left - right),
  INTMUL: ofIntegers((left, right) => left * right),
  INTDIV: ofIntegers((left, right) => left / right),
  INTMOD: ofIntegers((left, right) => left % right),
  INTBITAND: ofIntegers((left, right) => left & right),
  INTBITOR: ofIntegers((left, right) => left | right),
  INTBITXOR: ofIntegers((left, right) => left ^ right),
  INTBITLEFTSHIFT: ofIntegers((left, right) => left << right),
  INTBITRIGHTSHIFT: ofIntegers((left, right) => left >> right),
  INTBITNOT: ([value]) => (Number.isInteger(value) ? ~(value as number) : undefined),
};
