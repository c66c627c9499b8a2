// One dead letter whose body or session is wrong: another hint is sent instead of it, and the original is kept.
import { exitCodes, Failure } from "../../exit-codes.ts";
import { caseIdOf, read, type Session } from "../../session.ts";
import { send, decisionIdOf, type WriteOptions } from "../../write.ts";
import { lettersPath, MoveAnswer, type Queue } from "./letter.ts";

export interface EditOptions extends WriteOptions {
  case: string;
  queue: Queue;
}

export async function editLetter(
  session: Session,
  sequence: string,
  options: EditOptions,
): Promise<void> {
  const named = await session.tenant();
  // `_:<case id>` would name no case: the tenant of the case is told with it.
  const [tenant = named, known = options.case] = options.case.includes(":")
    ? options.case.split(":")
    : [];
  const caseKey = `${tenant}:${await caseIdOf(session.api, tenant, known)}`;
  const path = lettersPath(named, options.queue, "letters", sequence, "edit");
  const body = { caseKey, reason: options.reason, decisionId: decisionIdOf({}) };
  const rehearsed = read(MoveAnswer, await session.api.post(path, { ...body, dryRun: true }));
  const says = rehearsed.letters[0]?.preview?.says ?? "";
  const answer = await send(session, options, {
    path,
    body: { ...body, dryRun: false },
    consequence: `A new hint makes a worker look at ${caseKey}. ${says} The original is archived first.`,
    isDangerous: true,
  });
  if (answer === undefined) return;
  const moved = read(MoveAnswer, answer);
  const [letter] = moved.letters;
  session.show(
    answer,
    () => `${letter?.outcome ?? "nothing"}${letter?.why ? `: ${letter.why}` : ""}.`,
  );
  if (moved.failed > 0) throw new Failure(exitCodes.refused, letter?.why ?? "it was not moved.");
}
