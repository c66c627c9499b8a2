// How `ops` ends. Scripts rely on these numbers; `npm run ops -- --help` prints them.
export const exitCodes = {
  done: 0,
  /** Refused by the API, declined at the prompt, or not as it should be (doctor, a wait that ran out). */
  refused: 1,
  usage: 2,
  /** Not signed in, or the role or the tenant does not allow it. */
  forbidden: 3,
  unavailable: 4,
  /** Somebody else was first, or it has changed since it was looked at. */
  conflict: 5,
  interrupted: 130,
} as const;

export const exitCodesInWords = `Exit codes:
  0  done (or, with --dry-run, it would be)
  1  refused, declined or failed: the sentence says why
  2  wrong arguments
  3  not signed in, or your role or tenant does not allow it
  4  the API, the store or the broker cannot be reached: run the same command again
  5  somebody else was first, or it has changed since you looked: look again
  130  interrupted; what was done is said`;

/** Ends the program with one sentence; `problem` is the API's own answer, for --json. */
export class Failure extends Error {
  readonly exitCode: number;
  readonly problem: object | undefined;

  constructor(exitCode: number, message: string, problem?: object) {
    super(message);
    this.exitCode = exitCode;
    this.problem = problem;
  }
}
