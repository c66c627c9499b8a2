// The worker process: loads the app and runs its functions, as Azure's Node worker does.
// It is forked by the host and speaks ../protocol.ts over IPC. It knows no broker, no store and no timer, so
// that killing it looks like an instance dying.
//
//   argv: <app folder> <host version>
import { enableCompileCache, flushCompileCache } from "node:module";
import type { FromWorker, InvocationRequest, ToWorker } from "../protocol.ts";
import { coreModule, emptyRegistry, type WorkerLog } from "./core-module.ts";
import { errorText, runHooks, runInvocation } from "./invoke.ts";
import { loadApp, provideCoreModule } from "./load-app.ts";

const [, , appFolder = "", hostVersion = "", compileCacheFolder = ""] = process.argv;
const registry = emptyRegistry();
const appHookData: Record<string, unknown> = {};

function send(message: FromWorker): void {
  // A host that is gone ends this process by "disconnect"; there is nobody left to tell.
  if (process.connected) process.send?.(message);
}

const log: WorkerLog = ({ invocationContext, ...line }) => {
  const context = { ...line, hookData: {}, appHookData, invocationContext };
  for (const callback of registry.hooks.log) {
    try {
      callback(context);
    } catch {
      // A log hook that throws must not take the line with it, let alone the invocation.
    }
  }
  send({ kind: "log", ...line, level: context.level, message: context.message });
};

async function start(): Promise<void> {
  provideCoreModule(registry, coreModule(registry, hostVersion, log));
  await loadApp(appFolder, registry);
  await runHooks(registry, "appStart", { hookData: appHookData, appHookData });
  const capabilities = (await registry.model?.getCapabilities({})) ?? {};
  const functions = [...registry.functions.values()].map(({ metadata }) => metadata);
  send({ kind: "ready", functions, capabilities });
  // A worker that is killed cannot write it at its end.
  flushCompileCache();
}

async function invoke(request: InvocationRequest): Promise<void> {
  const { invocationId } = request;
  try {
    const response = await runInvocation(registry, appHookData, request, log);
    send({ kind: "done", invocationId, response });
  } catch (error) {
    send({ kind: "threw", invocationId, error: errorText(error) });
  }
}

async function terminate(): Promise<void> {
  await runHooks(registry, "appTerminate", { hookData: appHookData, appHookData });
  process.exit(0);
}

process.on("message", (message: ToWorker) => {
  switch (message.kind) {
    case "invoke":
      void invoke(message.request);
      return;
    case "terminate":
      // A hook that throws leaves the worker running, as on Azure; the host kills it after its grace.
      terminate().catch((error: unknown) => {
        const { message: text } = errorText(error);
        log({ level: "error", category: "system", message: `appTerminate hook failed: ${text}` });
      });
  }
});
process.on("disconnect", () => process.exit(1));
// The host decides when a worker ends; a terminal's Ctrl-C reaches the whole process group.
process.on("SIGINT", () => {});
process.on("SIGTERM", () => {});

if (compileCacheFolder !== "") enableCompileCache(compileCacheFolder);
start().catch((error: unknown) => {
  process.send?.({ kind: "failed", error: errorText(error) } satisfies FromWorker, () =>
    process.exit(1),
  );
});
