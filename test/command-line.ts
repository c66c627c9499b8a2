// What the command lines of campaigns and benches have in common: what cannot be meant is one sentence that names the option.
import { parseArgs, type ParseArgsConfig } from "node:util";

export type Parsed<Options> =
  | { kind: "help" }
  | { kind: "wrong"; why: string }
  | { kind: "run"; options: Options };

/** Reads the command line of `npm run <name>` and runs it; what it resolves with is the exit code: 2 for what cannot be meant. */
export async function runCommand<Options>(
  name: string,
  command: {
    help: string;
    parseOptions(args: readonly string[]): Parsed<Options>;
    run(options: Options): Promise<number>;
  },
): Promise<number> {
  const parsed = command.parseOptions(process.argv.slice(2));
  switch (parsed.kind) {
    case "help":
      console.log(command.help);
      return 0;
    case "wrong":
      process.stderr.write(`${name}: ${parsed.why} (npm run ${name} -- --help).\n`);
      return 2;
    case "run":
      return command.run(parsed.options);
  }
}

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
