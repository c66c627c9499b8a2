// ops dead-letters: what the broker gave up on; what another look at its case would do; and moving it without losing it.
import { Option, type Command } from "commander";
import { teach } from "../lesson.ts";
import { listOptions, type Opens } from "../session.ts";
import { dryRunOption, reasonOption, yesOption, type WriteOptions } from "../write.ts";
import { drainLetters } from "./letters/drain-letters.ts";
import { editLetter, type EditOptions } from "./letters/edit-letter.ts";
import { listLetters, previewLetters, type LookOptions } from "./letters/list-letters.ts";
import { moveByFilter, type FilterOptions } from "./letters/move-letters.ts";
import { queues, type Queue } from "./letters/letter.ts";

const queueOption = () =>
  new Option("--queue <name>", "only this one; both without it").choices(queues);
const neededQueue = () =>
  new Option("--queue <name>", "in which it lies").choices(queues).makeOptionMandatory();

export function addDeadLetters(program: Command, open: Opens): void {
  const letters = program
    .command("dead-letters")
    .description(
      "hints that the broker gave up on (--tenant _ for all, and those that name no case)",
    );

  const listed = letters
    .command("list")
    .description("what they died of, and how many of each; each one with --each")
    .option("--each", "one line for each letter")
    .option("--cause <id>", "with --each: only these")
    .addOption(queueOption())
    .action((options: LookOptions & { each?: boolean }, command: Command) =>
      listLetters(open(command), options),
    );
  teach(withListOptions(listed), { example: "dead-letters list --tenant _" });

  const preview = letters
    .command("preview")
    .description("what a resubmit would do now, by the ledger of each case")
    .option("--cause <id>", "only these")
    .addOption(queueOption())
    .action((options: LookOptions, command: Command) => previewLetters(open(command), options));
  teach(withListOptions(preview), { example: "dead-letters preview --queue cases" });

  addMoves(letters, open);

  teach(
    withWriteOptions(
      letters
        .command("drain")
        .description(
          "all of them: a hint is sent again, what is no hint is archived; may be killed and run again",
        )
        .addOption(queueOption()),
    ).action((options: WriteOptions & { queue?: Queue }, command: Command) =>
      drainLetters(open(command), options),
    ),
    {
      example: 'dead-letters drain --tenant _ --reason "the broker was down on Sunday" --dry-run',
      never: "drain before the cause is gone: they would only come back.",
    },
  );
}

function addMoves(letters: Command, open: Opens): void {
  for (const how of ["resubmit", "archive"] as const) {
    const lesson = {
      resubmit: {
        says: "send some again: a copy first, and only then the letter is removed",
        example: 'dead-letters resubmit --queue cases --cause 3f9a --reason "a worker was killed"',
        never: "resubmit what an unknown effect blocks and expect it to go on: settle its review.",
      },
      archive: {
        says: "take some out: kept as a record with your reason, and only then removed",
        example: 'dead-letters archive --queue cases --sequence 42 --reason "no hint of ours"',
        never: "archive a hint to empty the queue before you have seen what its case waits for.",
      },
    }[how];
    teach(
      withWriteOptions(
        letters
          .command(how)
          .description(lesson.says)
          .addOption(neededQueue())
          .option("--cause <id>", "those that died of this, as the list shows it")
          .option("--case <case>", "those of one case: its id, or its business reference")
          .option("--sequence <numbers...>", "these, by their numbers")
          .option("--all", "all of them"),
      ).action((options: FilterOptions, command: Command) =>
        moveByFilter(open(command), how, options),
      ),
      lesson,
    );
  }

  teach(
    withWriteOptions(
      letters
        .command("edit")
        .description("send another hint instead of one; the original is archived first")
        .argument("<sequence>", "its number, as the list shows it")
        .requiredOption("--case <case>", "to be looked at: its id, or its business reference")
        .addOption(neededQueue()),
    ).action((sequence: string, options: EditOptions, command: Command) =>
      editLetter(open(command), sequence, options),
    ),
    {
      example:
        'dead-letters edit 42 --queue cases --case INV-20931 --reason "the session was cut off"',
      never: "guess the case: look at the letter with `dead-letters list --each --json` first.",
    },
  );
}

function withListOptions(command: Command): Command {
  for (const option of listOptions) command.addOption(option);
  return command;
}

function withWriteOptions(command: Command): Command {
  for (const option of [reasonOption, dryRunOption, yesOption]) {
    command.addOption(option);
  }
  return command;
}
