// COUNT, SUM, MIN, MAX, AVG and their newer kin, one accumulator for each group.
//
// Undefined values are skipped. One value of a type that cannot be added makes SUM and AVG
// undefined; MIN and MAX take scalars of any type and are undefined once an array or object appears.
// The aggregate of nothing is undefined, but for COUNT and SUM, whose is 0.
import type { Json, Value } from "../store/json.ts";
import { canonicalText } from "../store/json.ts";
import { compareForOrder } from "./compare.ts";

export interface Accumulator {
  add(value: Value): void;
  result(): Value;
}

function counter(isCounted: (value: Value) => boolean): Accumulator {
  let count = 0;
  return {
    add: (value) => {
      if (isCounted(value)) count += 1;
    },
    result: () => count,
  };
}

function adder(finish: (sum: number, count: number) => Value): Accumulator {
  let sum = 0;
  let count = 0;
  let isNumeric = true;
  return {
    add: (value) => {
      if (value === undefined) return;
      if (typeof value === "number") sum += value;
      else isNumeric = false;
      count += 1;
    },
    result: () => (isNumeric ? finish(sum, count) : undefined),
  };
}

function extreme(sign: 1 | -1): Accumulator {
  let best: Value;
  let isScalar = true;
  return {
    add: (value) => {
      if (value === undefined) return;
      if (typeof value === "object" && value !== null) isScalar = false;
      if (best === undefined || sign * compareForOrder(value, best) > 0) best = value;
    },
    result: () => (isScalar ? best : undefined),
  };
}

function collector(isSet: boolean): Accumulator {
  const items = new Map<string, Json>();
  return {
    add: (value) => {
      if (value !== undefined) items.set(isSet ? canonicalText(value) : String(items.size), value);
    },
    result: () => [...items.values()],
  };
}

export const AGGREGATES: Record<string, () => Accumulator> = {
  COUNT: () => counter((value) => value !== undefined),
  COUNTIF: () => counter((value) => value === true),
  SUM: () => adder((sum) => sum),
  AVG: () => adder((sum, count) => (count > 0 ? sum / count : undefined)),
  MIN: () => extreme(-1),
  MAX: () => extreme(1),
  MAKELIST: () => collector(false),
  MAKESET: () => collector(true),
};
