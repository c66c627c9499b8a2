// An invocation's log as the flows use it: one sentence and fields, as one JSON line; payloads never.
import type { Log, LogFields } from "./turn/turn.ts";

/** What the flows need of a Functions InvocationContext. */
export interface LogTarget {
  log(line: string): void;
  warn(line: string): void;
  error(line: string): void;
}

export function contextLog(context: LogTarget): Log {
  const line = (message: string, fields: LogFields) => JSON.stringify({ message, ...fields });
  return {
    info: (message, fields) => context.log(line(message, fields)),
    warn: (message, fields) => context.warn(line(message, fields)),
    error: (message, fields) => context.error(line(message, fields)),
  };
}
