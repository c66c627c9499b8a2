// Random numbers that a seed fixes: the same seed rolls the same dice on every machine.
export interface Dice {
  /** A whole number from `min` to `max`, both included. */
  between(min: number, max: number): number;
  chance(probability: number): boolean;
  pick<Value>(values: readonly Value[]): Value;
}

/** mulberry32: small, fast, and good enough to choose faults with. */
export function diceOf(seed: number): Dice {
  let state = seed | 0;
  const roll = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const dice: Dice = {
    between: (min, max) => min + Math.floor(roll() * (max - min + 1)),
    chance: (probability) => roll() < probability,
    pick(values) {
      const value = values[dice.between(0, values.length - 1)];
      if (value === undefined) throw new Error("nothing to pick from");
      return value;
    },
  };
  return dice;
}

/** One seed from two: neighbours must not roll alike. */
export function mixSeeds(a: number, b: number): number {
  return Math.imul(Math.imul(a ^ 0x9e3779b9, 0x85ebca6b) ^ (b + 0x165667b1), 0xc2b2ae35) | 0;
}
