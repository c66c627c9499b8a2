// The one way in which a command changes something: the consequence is said, --dry-run stops there, what cannot be taken back
// asks first, and only then it is sent.
import { randomUUID } from "node:crypto";
import { Option } from "commander";
import { exitCodes, Failure } from "./exit-codes.ts";
import type { Session } from "./session.ts";
import { json, printable } from "./show.ts";

export interface WriteOptions {
  dryRun?: boolean;
  yes?: boolean;
  reason: string;
}

export const dryRunOption = new Option(
  "--dry-run",
  "say what would be sent and what it would do; send nothing",
);
export const yesOption = new Option("--yes", "do not ask; needed where nobody sits at a terminal");
export const reasonOption = new Option(
  "--reason <text>",
  "why, for whoever reads the record next",
).makeOptionMandatory();
export const decisionIdOption = new Option(
  "--decision-id <id>",
  "of a run that was cut off: the same id again is the same decision",
);

export interface Write {
  path: string;
  body: object;
  /** What it does, in the API's words where it has some. */
  consequence: string;
  /** Why the API would refuse it now; said by a dry run. */
  refusedBecause?: string | undefined;
  /** It cannot be taken back, or stops something. */
  isDangerous: boolean;
}

/** The API's answer; undefined after a dry run. */
export async function send(
  session: Session,
  options: Pick<WriteOptions, "dryRun" | "yes">,
  write: Write,
): Promise<unknown> {
  const { body, consequence, path, refusedBecause } = write;
  if (options.dryRun === true) {
    const would = { dryRun: true, request: { method: "POST", path: `/api/${path}`, body } };
    const answer = {
      ...would,
      consequence,
      ...(refusedBecause === undefined ? {} : { refusedBecause }),
    };
    session.show(answer, () => dryRunInWords(write));
    if (refusedBecause === undefined) return undefined;
    throw new Failure(exitCodes.refused, `it would be refused: ${refusedBecause}`);
  }
  if (write.isDangerous && options.yes !== true) await confirmed(session, printable(consequence));
  return session.api.post(path, body);
}

function dryRunInWords({ body, consequence, path }: Write): string {
  return [
    "Nothing is sent. Without --dry-run it would be:",
    "",
    `  POST /api/${path}`,
    ...json(body)
      .split("\n")
      .map((line) => `  ${printable(line)}`),
    "",
    printable(consequence),
  ].join("\n");
}

/** Returns when somebody has said yes to it; `inWords` is printable. */
export async function confirmed({ terminal }: Session, inWords: string): Promise<void> {
  if (!terminal.isInteractive) {
    const what = "nobody is there to be asked; look with --dry-run, then add --yes.";
    throw new Failure(exitCodes.usage, what);
  }
  terminal.err(inWords);
  const answer = await terminal.ask('Type "yes" to send it: ');
  if (answer.trim().toLowerCase() !== "yes") {
    throw new Failure(exitCodes.refused, "nothing was sent.");
  }
}

/** New for each run, unless the run repeats another. */
export function decisionIdOf(options: { decisionId?: string }): string {
  return options.decisionId ?? `cli-${randomUUID()}`;
}
