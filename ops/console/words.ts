// How the console says things: times, ages and the API's own words in plain English. Pure.

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** "3 min", "2 h 5 min", "4 d": two parts at most, the way a person says it. */
export function spanText(ms: number): string {
  const span = Math.max(0, ms);
  if (span < 1000) return `${Math.round(span)} ms`;
  if (span < minuteMs) return `${Math.round(span / 1000)} s`;
  if (span < hourMs) return `${Math.floor(span / minuteMs)} min`;
  if (span < dayMs) return two(span, [hourMs, "h"], [minuteMs, "min"]);
  return two(span, [dayMs, "d"], [hourMs, "h"]);
}

function two(ms: number, [big, bigName]: [number, string], [small, smallName]: [number, string]) {
  const rest = Math.floor((ms % big) / small);
  const first = `${Math.floor(ms / big)} ${bigName}`;
  return rest === 0 ? first : `${first} ${rest} ${smallName}`;
}

/** UTC, to the second: operators in several places read the same text. */
export function timeText(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19).replace("T", " ")} UTC`;
}

const reviewNames: Record<string, string> = {
  Contradiction: "Evidence contradicts what was settled",
  EvidenceMismatch: "Evidence does not fit the effect",
  PayloadMismatch: "What is stored is not what was frozen",
  UnknownEffect: "Nobody knows whether it happened",
  AttemptsExhausted: "All permitted attempts are used up",
  NotificationFailed: "Somebody was not told",
  CaseHeld: "The case is held",
  ProviderRemoved: "Its provider is not deployed any more",
  ActionRemoved: "Its action is not deployed any more",
  NoGrant: "No grant covers it",
  PayloadUnavailable: "Its payload cannot be read",
  DeliverySilent: "No word of its delivery",
  FactsChangedAfterEnd: "Facts changed after the case ended",
};

export function reviewName(kind: string): string {
  return reviewNames[kind] ?? kind;
}

const choiceNames: Record<string, string> = {
  happened: "It happened",
  didNotHappen: "It did not happen",
  retry: "Send it once more",
  lookAgain: "Ask the provider again",
  abandon: "Give it up",
  acknowledge: "I have seen it",
  release: "Let the case go on",
};

export function choiceName(how: string): string {
  return choiceNames[how] ?? how;
}

const verdictTones: Record<string, Tone> = {
  confirmed: "good",
  approved: "good",
  done: "good",
  receipt: "good",
  unknown: "doubt",
  noAnswer: "doubt",
  orphaned: "doubt",
  open: "doubt",
  asked: "doubt",
  unanswered: "doubt",
  rejected: "bad",
  refused: "bad",
  held: "bad",
  contradicted: "bad",
};

export type Tone = "good" | "doubt" | "bad" | "plain";

/** Of a status or an outcome, by its first word. */
export function toneOf(words: string | undefined): Tone {
  const [first = ""] = (words ?? "").split(/[ :,]/);
  return verdictTones[first] ?? "plain";
}

/** The API's half sentences, as a whole one; a name at the beginning stays as it is. */
export function sentence(words: string): string {
  const end = /[.!?]$/.test(words) ? "" : ".";
  const begin = /^[a-z]+(?=[ ,:]|$)/.test(words) ? words.charAt(0).toUpperCase() : words.charAt(0);
  return begin + words.slice(1) + end;
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
