// What the host tells whoever started it.
import type { LogLevel } from "./protocol.ts";

export type InvocationOutcome = "succeeded" | "failed" | "timedOut" | "workerLost";

export type HostEvent =
  | { kind: "workerStarted"; worker: number; pid: number }
  | {
      kind: "workerExited";
      worker: number;
      pid: number;
      code: number | null;
      signal: string | null;
    }
  | {
      kind: "log";
      level: LogLevel;
      category: string;
      message: string;
      functionName?: string;
      invocationId?: string;
    }
  | {
      kind: "invocation";
      functionName: string;
      invocationId: string;
      worker: number;
      outcome: InvocationOutcome;
      ms: number;
    };

export type HostLog = (
  level: LogLevel,
  category: string,
  message: string,
  about?: { functionName?: string; invocationId?: string },
) => void;
