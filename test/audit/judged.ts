// What a rule says: what is wrong, and how many subjects it looked at, so that a rule that looked at nothing shows.
import type { Testimony } from "./testimony.ts";

export interface Judged {
  looked: number;
  wrong: string[];
}

export type Rule = (testimony: Testimony) => Judged;

export function judged<Subject>(
  subjects: readonly Subject[],
  why: (subject: Subject) => readonly (string | undefined)[] | string | undefined,
): Judged {
  const wrong = subjects.flatMap((subject) => why(subject) ?? []);
  return { looked: subjects.length, wrong: wrong.filter((one) => one !== undefined) };
}
