// One run of the program: arguments in, an exit code out; the only place that ends with a sentence for what went wrong.
import { CommanderError } from "commander";
import { exitCodes, Failure } from "./exit-codes.ts";
import { programOf } from "./program.ts";
import { json, printable } from "./show.ts";
import type { Terminal } from "./terminal.ts";

export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  try {
    await programOf(terminal).parseAsync(withHelp(args), { from: "user" });
    return exitCodes.done;
  } catch (error) {
    // Commander has said what is wrong, or shown the help that was asked for.
    if (error instanceof CommanderError)
      return error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
    if (error instanceof Failure) return failed(error, args, terminal);
    if (terminal.signal.aborted && error instanceof Error && error.name === "AbortError") {
      terminal.err("ops: interrupted.");
      return exitCodes.interrupted;
    }
    throw error;
  }
}

/** `help reviews resolve` is `reviews resolve --help`. */
function withHelp(args: readonly string[]): string[] {
  const [first, ...rest] = args;
  return first === "help" ? [...rest, "--help"] : [...args];
}

function failed(failure: Failure, args: readonly string[], terminal: Terminal): number {
  if (args.includes("--json") && failure.problem !== undefined) terminal.out(json(failure.problem));
  const lines = failure.message.split("\n").map(printable);
  terminal.err(`ops: ${lines.join("\n")}`);
  return failure.exitCode;
}
