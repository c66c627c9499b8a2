// Carries one call from a trigger to a worker and says how it ended: ids, the time limit, the retry policy, the log
// lines and the "invocation" event are made here and nowhere else.
//
// The time limit (functionTimeout) is Azure's: the whole worker process is killed, and every other
// invocation in it is lost too.
import { randomBytes, randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { HostEvent, HostLog } from "./events.ts";
import type { Life } from "./instance.ts";
import type {
  ErrorText,
  InputData,
  InvocationResponse,
  RetryContext,
  TypedData,
} from "./protocol.ts";
import type { HostedFunction } from "./settings/functions.ts";
import type { WorkerAnswer } from "./worker-process.ts";

export type Outcome = WorkerAnswer | { kind: "timedOut" };

export type Call = {
  inputs: InputData[];
  metadata?: Record<string, TypedData>;
  invocationId?: string;
};

export type Invocations = {
  once(life: Life, hosted: HostedFunction, call: Call, retry?: RetryContext): Promise<Outcome>;
  /** With the function's retry policy; stops early, as "workerLost", when the instance dies. */
  withRetries(life: Life, hosted: HostedFunction, call: Call): Promise<Outcome>;
};

export type InvocationsOptions = {
  functionTimeoutMs: number;
  log: HostLog;
  onEvent: (event: HostEvent) => void;
  /** Delivers what the function returned for its output bindings; a failure fails the invocation. */
  deliver: (hosted: HostedFunction, response: InvocationResponse) => Promise<ErrorText | undefined>;
};

function traceContext(): { traceParent: string } {
  return {
    traceParent: `00-${randomBytes(16).toString("hex")}-${randomBytes(8).toString("hex")}-01`,
  };
}

function failureText(outcome: Outcome): ErrorText | undefined {
  switch (outcome.kind) {
    case "failed":
      return outcome.error;
    case "timedOut":
      return { message: "The time limit (functionTimeout) was exceeded; the worker was killed." };
    case "workerLost":
      return { message: "The worker process died during the invocation." };
    case "succeeded":
      return undefined;
  }
}

async function callWorker(
  options: InvocationsOptions,
  life: Life,
  hosted: HostedFunction,
  call: Call & { invocationId: string },
  retry: RetryContext | undefined,
): Promise<Outcome> {
  const { functionTimeoutMs } = options;
  let timedOut = false;
  const timer =
    functionTimeoutMs < 0
      ? undefined
      : setTimeout(() => {
          timedOut = life.process.kill();
        }, functionTimeoutMs);
  const answer = await life.process.invoke({
    invocationId: call.invocationId,
    functionName: hosted.name,
    inputData: call.inputs,
    triggerMetadata: call.metadata ?? {},
    traceContext: traceContext(),
    ...(retry === undefined ? {} : { retryContext: retry }),
  });
  clearTimeout(timer);
  if (timedOut && answer.kind === "workerLost") return { kind: "timedOut" };
  if (answer.kind !== "succeeded") return answer;
  const undelivered = await options.deliver(hosted, answer.response);
  return undelivered === undefined ? answer : { kind: "failed", error: undelivered };
}

export function createInvocations(options: InvocationsOptions): Invocations {
  const { log, onEvent } = options;

  const once: Invocations["once"] = async (life, hosted, call, retry) => {
    const invocationId = call.invocationId ?? randomUUID();
    const about = { functionName: hosted.name, invocationId };
    const category = `Function.${hosted.name}`;
    const startedAtMs = performance.now();
    log("information", category, `Executing '${hosted.name}' (Id=${invocationId})`, about);
    const outcome = await callWorker(options, life, hosted, { ...call, invocationId }, retry);
    const ms = performance.now() - startedAtMs;
    const failure = failureText(outcome);
    const took = `'${hosted.name}' (Id=${invocationId}, Duration=${Math.round(ms)}ms)`;
    if (failure === undefined) {
      log("information", category, `Executed ${took}`, about);
    } else {
      const text = failure.stack ?? failure.message;
      log("error", category, `Failed ${took}: ${text}`, about);
    }
    onEvent({ kind: "invocation", ...about, worker: life.worker, outcome: outcome.kind, ms });
    return outcome;
  };

  const withRetries: Invocations["withRetries"] = async (life, hosted, call) => {
    const policy = hosted.retry;
    if (policy === undefined) return await once(life, hosted, call);
    const { maxRetryCount } = policy;
    let retryContext: RetryContext = { retryCount: 0, maxRetryCount };
    for (;;) {
      const outcome = await once(life, hosted, call, retryContext);
      const failure = failureText(outcome);
      if (failure === undefined || !life.process.isAlive()) return outcome;
      const retryCount = retryContext.retryCount + 1;
      if (maxRetryCount >= 0 && retryCount > maxRetryCount) return outcome;
      const { message, stack } = failure;
      retryContext = {
        retryCount,
        maxRetryCount,
        exception: { message, ...(stack === undefined ? {} : { stackTrace: stack }) },
      };
      const waited = delay(policy.delayMs(retryCount), undefined, { ref: false });
      await Promise.race([waited, life.process.exited]);
      if (!life.process.isAlive()) return { kind: "workerLost" };
    }
  };

  return { once, withRetries };
}
