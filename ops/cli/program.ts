// The program's commands; each group is a file of commands/. It calls only the API: roles and second persons hold there.
import { Command } from "commander";
import { addApprovals } from "./commands/approvals.ts";
import { addCases } from "./commands/cases.ts";
import { addDeadLetters } from "./commands/dead-letters.ts";
import { addDoctor } from "./commands/doctor.ts";
import { addDrain } from "./commands/drain.ts";
import { addGrants } from "./commands/grants.ts";
import { addRecords } from "./commands/records.ts";
import { addReports } from "./commands/reports.ts";
import { addReviews } from "./commands/reviews.ts";
import { exitCodesInWords } from "./exit-codes.ts";
import { globalOptions, opener } from "./session.ts";
import type { Terminal } from "./terminal.ts";

const lessons = `
Begin with:
  npm run ops -- doctor                         is everything there, and who am I
  npm run ops -- reviews list                   what waits for a person, the costliest first
  npm run ops -- reviews show INV-20931         all that bears on one, and what each choice does
  npm run ops -- help reviews resolve           what a command does, an example, and what never to do

Unknown is not failed: nobody may repeat an effect because no answer came. What changes something takes --dry-run first,
asks before it is sent unless --yes is given, and leaves a record (records list). See ops/RUNBOOK.md for each alert.

${exitCodesInWords}`;

export function programOf(terminal: Terminal): Command {
  const program = new Command("ops")
    .description(
      "Operates Countersign: cases, reviews, approvals, dead letters, reports, grants, drains.",
    )
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.out(text.trimEnd()),
      writeErr: (text) => terminal.err(text.trimEnd()),
    })
    .configureHelp({ showGlobalOptions: true, sortSubcommands: false })
    .showHelpAfterError("See --help of the command.")
    .showSuggestionAfterError()
    .addHelpText("after", lessons);
  for (const option of globalOptions) program.addOption(option);
  const open = opener(terminal);
  addCases(program, open);
  addReviews(program, open);
  addApprovals(program, open);
  addDeadLetters(program, open);
  addReports(program, open);
  addGrants(program, open);
  addDrain(program, open);
  addRecords(program, open);
  addDoctor(program, open);
  return program;
}
