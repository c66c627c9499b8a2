// A reason to end that the user can do something about: one sentence and an exit code.
//
//   1  the run did not end as expected          3  this machine: a port, a folder, a second copy
//   2  wrong arguments                        130  interrupted before the run was over
export type ExitCode = 1 | 2 | 3 | 130;

export class StopFault extends Error {
  readonly exitCode: ExitCode;

  constructor(sentence: string, exitCode: ExitCode) {
    super(sentence);
    this.exitCode = exitCode;
  }
}
