// From what the worker registered to what the host runs: validated names and bindings, `%NAME%` resolved,
// disabled functions marked. A function that is wrong gets an error of its own; the others still run.
import type { Binding, FunctionMetadata, RetryOptions } from "../protocol.ts";
import { type AppSettings, FunctionFault, isDisabled, resolveBinding } from "./app-settings.ts";
import type { HostJson } from "./host-json.ts";

export type RetryPolicy = {
  /** -1: for ever. */
  maxRetryCount: number;
  delayMs: (retry: number) => number;
};

export type HostedFunction = {
  name: string;
  trigger: Binding & { name: string; type: string };
  outputs: (Binding & { name: string; type: string })[];
  hasReturnBinding: boolean;
  disabled: boolean;
  retry: RetryPolicy | undefined;
};

export type FunctionTable = {
  functions: HostedFunction[];
  errors: { functionName: string; message: string }[];
};

const NAME = /^[a-z][a-z0-9_-]{0,127}$/i;
const BINDING_NAME = /^[a-z][a-z0-9]{0,127}$/i;

function namedBinding(name: string, binding: Binding): Binding & { name: string; type: string } {
  return { ...binding, name, type: binding.type ?? "" };
}

export function isTriggerType(type: string): boolean {
  return /trigger$/i.test(type);
}

/** Exponential delays as the host draws them: min, then min + 0.8..1.2 x 2^(n-1) x min, capped at max. */
function retryPolicy(options: RetryOptions | undefined): RetryPolicy | undefined {
  if (options === undefined) return undefined;
  const { maxRetryCount, retryStrategy } = options;
  if (typeof maxRetryCount !== "number") throw new FunctionFault("retry needs maxRetryCount.");
  if (retryStrategy === "fixedDelay") {
    const delaySeconds = options.delayInterval?.seconds;
    if (delaySeconds === undefined) throw new FunctionFault("fixedDelay needs delayInterval.");
    return { maxRetryCount, delayMs: () => delaySeconds * 1000 };
  }
  const minSeconds = options.minimumInterval?.seconds;
  const maxSeconds = options.maximumInterval?.seconds;
  if (minSeconds === undefined || maxSeconds === undefined || minSeconds > maxSeconds) {
    throw new FunctionFault(
      "exponentialBackoff needs minimumInterval and maximumInterval, the first no longer than the second.",
    );
  }
  const delayMs = (retry: number) => {
    if (retry <= 1) return minSeconds * 1000;
    const spread = 0.8 + Math.random() * 0.4;
    return Math.min(maxSeconds, minSeconds + spread * 2 ** (retry - 2) * minSeconds) * 1000;
  };
  return { maxRetryCount, delayMs };
}

function hostRetry(hostJson: HostJson): RetryOptions | undefined {
  const retry = hostJson.retry;
  if (retry === undefined) return undefined;
  const seconds = (ms: number | undefined) =>
    ms === undefined ? {} : { seconds: Math.round(ms / 1000) };
  return {
    maxRetryCount: retry.maxRetryCount,
    retryStrategy: retry.strategy,
    delayInterval: seconds(retry.delayInterval),
    minimumInterval: seconds(retry.minimumInterval),
    maximumInterval: seconds(retry.maximumInterval),
  };
}

function hostedFunction(
  metadata: FunctionMetadata,
  settings: AppSettings,
  hostJson: HostJson,
): HostedFunction {
  const { name } = metadata;
  if (!NAME.test(name) || name.toLowerCase() === "host") {
    throw new FunctionFault(`"${name}" is not a valid function name.`);
  }
  const bindings = Object.entries(metadata.bindings).map(([key, binding]) => {
    const isReturn = key === "$return";
    if (!isReturn && !BINDING_NAME.test(key)) {
      throw new FunctionFault(`"${key}" is not a valid binding name.`);
    }
    if (isReturn && binding.direction !== "out") {
      throw new FunctionFault('"$return" must be an output binding.');
    }
    return namedBinding(key, resolveBinding(settings, binding));
  });
  const triggers = bindings.filter((binding) => isTriggerType(binding.type));
  const [trigger] = triggers;
  if (trigger === undefined || triggers.length > 1) {
    throw new FunctionFault("A function has exactly one trigger.");
  }
  return {
    name,
    trigger,
    outputs: bindings.filter((binding) => binding.direction === "out"),
    hasReturnBinding: bindings.some((binding) => binding.name === "$return"),
    disabled: isDisabled(settings, name),
    retry: retryPolicy(metadata.retryOptions ?? hostRetry(hostJson)),
  };
}

export function functionTable(
  registered: FunctionMetadata[],
  settings: AppSettings,
  hostJson: HostJson,
): FunctionTable {
  const table: FunctionTable = { functions: [], errors: [] };
  const seen = new Set<string>();
  for (const metadata of registered) {
    const { name } = metadata;
    if (hostJson.functions !== undefined && !hostJson.functions.includes(name)) continue;
    try {
      if (seen.has(name.toLowerCase())) {
        throw new FunctionFault(`Another function has the name "${name}" (case is ignored).`);
      }
      seen.add(name.toLowerCase());
      table.functions.push(hostedFunction(metadata, settings, hostJson));
    } catch (error) {
      if (!(error instanceof FunctionFault)) throw error;
      table.errors.push({ functionName: name, message: error.message });
    }
  }
  return table;
}
