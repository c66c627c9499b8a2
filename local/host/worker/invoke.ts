// Runs one invocation in the worker, in the order that Azure's Node worker keeps:
// arguments, pre hooks, handler, post hooks, throw what the hooks left as the error, response.
import { format } from "node:util";
import type { ErrorText, InvocationRequest, InvocationResponse } from "../protocol.ts";
import type {
  CoreInvocationContext,
  HookContext,
  HookName,
  Registry,
  WorkerLog,
} from "./core-module.ts";

export function errorText(error: unknown): ErrorText {
  if (!(error instanceof Error)) return { message: format("%s", error) };
  return {
    message: error.message,
    ...(error.stack === undefined ? {} : { stack: error.stack }),
  };
}

export async function runHooks(
  registry: Registry,
  name: HookName,
  context: HookContext,
): Promise<void> {
  for (const callback of registry.hooks[name]) await callback(context);
}

function isFunction(value: unknown): value is (...args: unknown[]) => unknown {
  return typeof value === "function";
}

export async function runInvocation(
  registry: Registry,
  appHookData: Record<string, unknown>,
  request: InvocationRequest,
  log: WorkerLog,
): Promise<InvocationResponse> {
  const registered = registry.functions.get(request.functionName);
  const model = registry.model;
  if (registered === undefined || model === undefined) {
    throw new Error(`The worker knows no function "${request.functionName}".`);
  }
  const { metadata, callback } = registered;
  let invocationContext: unknown;
  const core: CoreInvocationContext = {
    invocationId: request.invocationId,
    request,
    metadata: { name: metadata.name, bindings: metadata.bindings },
    state: undefined,
    log: (level, category, message) =>
      log({
        level,
        category,
        message,
        functionName: metadata.name,
        invocationId: request.invocationId,
        invocationContext,
      }),
  };
  const invocation = model.getInvocationModel(core);
  const { context, inputs } = await invocation.getArguments();
  invocationContext = context;

  const hookData: Record<string, unknown> = {};
  const shared = { hookData, appHookData, invocationContext: context };
  const before: HookContext = { ...shared, inputs, functionCallback: callback };
  core.state = "preInvocationHooks";
  await runHooks(registry, "preInvocation", before);

  const after: HookContext = { ...shared, inputs: before["inputs"], result: null, error: null };
  core.state = "invocation";
  try {
    const handler = isFunction(before["functionCallback"]) ? before["functionCallback"] : callback;
    const given = Array.isArray(before["inputs"]) ? before["inputs"] : inputs;
    after["result"] = await invocation.invokeFunction(context, given, handler);
  } catch (error) {
    after["error"] = error;
  }
  core.state = "postInvocationHooks";
  await runHooks(registry, "postInvocation", after);
  core.state = undefined;

  if (after["error"] !== null && after["error"] !== undefined) throw after["error"];
  return await invocation.getResponse(context, after["result"]);
}
