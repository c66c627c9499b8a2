// The module `@azure/functions-core`, which exists only inside a Functions worker: through it
// `@azure/functions` registers functions, hooks and its programming model.
//
// The library asks for it once, lazily, with `require`; when that fails it goes quietly into "test
// mode" and registers nothing. Behaviour follows the Node worker: registration is closed once
// the app has been indexed, an id may be used once, an unknown hook name is a RangeError that is marked as
// a system error (the library recognises exactly that).
import type {
  Binding,
  FunctionMetadata,
  InvocationRequest,
  InvocationResponse,
  LogLevel,
} from "../protocol.ts";

export type HookName = "appStart" | "appTerminate" | "preInvocation" | "postInvocation" | "log";
export type HookContext = Record<string, unknown>;
export type HookCallback = (context: HookContext) => unknown;
export type FunctionCallback = (...args: unknown[]) => unknown;

export type CoreInvocationContext = {
  invocationId: string;
  request: InvocationRequest;
  metadata: { name: string; bindings: Record<string, Binding> };
  state: "preInvocationHooks" | "invocation" | "postInvocationHooks" | undefined;
  log: (level: LogLevel, category: string, message: string) => void;
};

export type InvocationModel = {
  getArguments(): Promise<{ context: unknown; inputs: unknown[] }>;
  invokeFunction(context: unknown, inputs: unknown[], callback: FunctionCallback): Promise<unknown>;
  getResponse(context: unknown, result: unknown): Promise<InvocationResponse>;
};

export type ProgrammingModel = {
  name: string;
  version: string;
  getInvocationModel(context: CoreInvocationContext): InvocationModel;
  getCapabilities(capabilities: Record<string, string>): Promise<Record<string, string>>;
};

export type Registry = {
  functions: Map<string, { metadata: FunctionMetadata; callback: FunctionCallback }>;
  hooks: Record<HookName, HookCallback[]>;
  model: ProgrammingModel | undefined;
  /** Whether anything ever asked for the core module; if not, the library is in test mode. */
  wasRequired: boolean;
  isClosed: boolean;
};

export type WorkerLog = (line: {
  level: LogLevel;
  category: string;
  message: string;
  functionName?: string;
  invocationId?: string;
  invocationContext?: unknown;
}) => void;

type Disposable = { dispose: () => void };

export function emptyRegistry(): Registry {
  return {
    functions: new Map(),
    hooks: { appStart: [], appTerminate: [], preInvocation: [], postInvocation: [], log: [] },
    model: undefined,
    wasRequired: false,
    isClosed: false,
  };
}

function systemError(error: Error): Error {
  return Object.assign(error, { isAzureFunctionsSystemError: true });
}

function isHookName(registry: Registry, name: string): name is HookName {
  return Object.hasOwn(registry.hooks, name);
}

export function coreModule(registry: Registry, hostVersion: string, log: WorkerLog): object {
  function registerFunction(metadata: FunctionMetadata, callback: FunctionCallback): Disposable {
    if (registry.isClosed) {
      throw systemError(new Error("A function can only be registered during app startup."));
    }
    const id = metadata.functionId ?? metadata.name;
    if (registry.functions.has(id)) {
      throw systemError(new Error(`A function with id "${id}" has already been registered.`));
    }
    registry.functions.set(id, { metadata: { ...metadata, functionId: id }, callback });
    return {
      dispose: () => {
        if (registry.isClosed) {
          throw systemError(new Error("A function can only be disposed during app startup."));
        }
        registry.functions.delete(id);
      },
    };
  }

  function registerHook(name: string, callback: HookCallback): Disposable {
    if (!isHookName(registry, name)) {
      throw systemError(new RangeError(`Unrecognized hook "${name}"`));
    }
    const callbacks = registry.hooks[name];
    callbacks.push(callback);
    return {
      dispose: () => {
        const at = callbacks.indexOf(callback);
        if (at >= 0) callbacks.splice(at, 1);
      },
    };
  }

  return {
    version: hostVersion,
    hostVersion,
    registerFunction,
    registerHook,
    setProgrammingModel: (model: ProgrammingModel) => {
      registry.model = model;
    },
    getProgrammingModel: () => registry.model,
    log: (level: LogLevel, category: string, message: string) => log({ level, category, message }),
  };
}
