// The two faults that code throws on purpose; expected outcomes are values.
//
//   TransientFault   try the message again: a store or a broker did not answer
//   TerminalFault    it will never work: bad input or bad configuration; the message names the field and what to do, and
//                    never carries a payload or a secret
//
// Anything else that is thrown is a defect, and nobody catches it.

/** Ids that help an operator to find the record; never payloads. */
export type FaultIds = Readonly<Record<string, string | number>>;

export class TransientFault extends Error {
  override readonly name = "TransientFault";
  readonly ids: FaultIds;
  /** How long to wait before the next try, as the service asked. */
  readonly retryAfterMs: number | undefined;
  constructor(
    message: string,
    options: { ids?: FaultIds; cause?: unknown; retryAfterMs?: number | undefined } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.ids = options.ids ?? {};
    this.retryAfterMs = options.retryAfterMs;
  }
}

export class TerminalFault extends Error {
  override readonly name = "TerminalFault";
  readonly ids: FaultIds;
  constructor(message: string, options: { ids?: FaultIds; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.ids = options.ids ?? {};
  }
}
