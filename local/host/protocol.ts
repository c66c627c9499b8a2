// What the host and its worker process say to each other over Node's IPC channel
// (`serialization: "advanced"`, so bytes travel as bytes). One message each way per invocation.
//
// The shapes of data, bindings and answers are those of Azure's worker protocol as
// `@azure/functions` reads and writes them: exactly one key of TypedData is set.
export type TypedData = {
  string?: string;
  json?: string;
  bytes?: Uint8Array;
  int?: number;
  double?: number;
  http?: HttpData;
  collectionString?: { string: string[] };
};

export type HttpCookie = {
  name: string;
  value: string;
  domain?: { value?: string } | null;
  path?: { value?: string } | null;
  expires?: { value?: { seconds?: number; nanos?: number } } | null;
  secure?: { value?: boolean } | null;
  httpOnly?: { value?: boolean } | null;
  sameSite?: "none" | "lax" | "strict" | "explicitNone";
  maxAge?: { value?: number } | null;
};

export type HttpData = {
  url?: string;
  method?: string;
  headers?: Record<string, string>;
  nullableHeaders?: Record<string, { value: string }>;
  nullableParams?: Record<string, { value: string }>;
  nullableQuery?: Record<string, { value: string }>;
  body?: TypedData | null;
  statusCode?: string;
  cookies?: HttpCookie[];
};

export type Binding = { type?: string; direction?: string; name?: string } & Record<
  string,
  unknown
>;

export type Duration = { seconds?: number };

export type RetryOptions = {
  maxRetryCount?: number;
  retryStrategy?: string;
  delayInterval?: Duration;
  minimumInterval?: Duration;
  maximumInterval?: Duration;
};

/** One registered function, as the library describes it; the binding's name is its key. */
export type FunctionMetadata = {
  name: string;
  functionId?: string;
  bindings: Record<string, Binding>;
  retryOptions?: RetryOptions;
};

export type InputData = { name: string; data: TypedData | null };

export type RetryContext = {
  retryCount: number;
  maxRetryCount: number;
  exception?: { message: string; stackTrace?: string };
};

export type InvocationRequest = {
  invocationId: string;
  functionName: string;
  inputData: InputData[];
  triggerMetadata: Record<string, TypedData>;
  traceContext?: { traceParent: string; traceState?: string };
  retryContext?: RetryContext;
};

export type InvocationResponse = {
  outputData?: { name: string; data: TypedData }[];
  returnValue?: TypedData | null;
};

export type ErrorText = { message: string; stack?: string };

export type LogLevel =
  | "trace"
  | "debug"
  | "information"
  | "warning"
  | "error"
  | "critical"
  | "none";

export type ToWorker = { kind: "invoke"; request: InvocationRequest } | { kind: "terminate" };

export type FromWorker =
  | { kind: "ready"; functions: FunctionMetadata[]; capabilities: Record<string, string> }
  | { kind: "failed"; error: ErrorText }
  | { kind: "done"; invocationId: string; response: InvocationResponse }
  | { kind: "threw"; invocationId: string; error: ErrorText }
  | {
      kind: "log";
      level: LogLevel;
      category: string;
      message: string;
      functionName?: string;
      invocationId?: string;
    };
