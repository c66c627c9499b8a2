// What the help of a command teaches beside its options: an example to paste, and what never to do.
import type { Command } from "commander";

export interface Lesson {
  example: string;
  /** Absent of a command that only looks, unless what it shows misleads. */
  never?: string;
}

export function teach(command: Command, { example, never }: Lesson): Command {
  const lines = ["", "Example:", `  npm run ops -- ${example}`];
  if (never !== undefined) lines.push("", "Never:", `  ${never}`);
  return command.addHelpText("after", lines.join("\n"));
}
