// What the campaigns' command lines have in common: what cannot be meant is one sentence that names the option.
import { parseArgs, type ParseArgsConfig } from "node:util";

export type Parsed<Options> =
  | { kind: "help" }
  | { kind: "wrong"; why: string }
  | { kind: "run"; options: Options };

export function wrong(why: string): { kind: "wrong"; why: string } {
  return { kind: "wrong", why };
}

/** The values, or what is wrong with the arguments. */
export function valuesOf<Spec extends NonNullable<ParseArgsConfig["options"]>>(
  args: readonly string[],
  options: Spec,
) {
  try {
    return parseArgs({ args: [...args], options, strict: true }).values;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return error.message.split(/\.\s/)[0] ?? error.message;
  }
}

/** Undefined: it is none, or outside of these. */
export function wholeNumber(text: string, min: number, max: number): number | undefined {
  const value = /^\d{1,10}$/.test(text) ? Number(text) : NaN;
  return value >= min && value <= max ? value : undefined;
}
