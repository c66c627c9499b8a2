// Small apps, written by a test into a temporary folder, and a host that runs them.
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach } from "vitest";
import {
  type Host,
  type HostEvent,
  type HostOptions,
  startHost,
} from "../../../local/host/server.ts";

const NODE_MODULES = join(import.meta.dirname, "..", "..", "..", "node_modules");

export type FixtureApp = {
  /** The text of each file; `main.js` is the entry unless packageJson says otherwise. */
  files: Record<string, string>;
  packageJson?: object;
  hostJson?: object;
};

export type Fixture = {
  host: Host;
  events: HostEvent[];
  appFolder: string;
  dataFolder: string;
  logs: () => string[];
  invocations: (functionName: string) => Extract<HostEvent, { kind: "invocation" }>[];
  fetch: (path: string, init?: RequestInit) => Promise<Response>;
  restart: (more?: Partial<HostOptions>) => Promise<void>;
};

const cleanUps: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
});

/** To be called after the test, last registered first. */
export function afterwards(cleanUp: () => Promise<unknown>): void {
  cleanUps.push(cleanUp);
}

export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "host-test-"));
  afterwards(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

export async function writeApp({ files, packageJson, hostJson }: FixtureApp): Promise<string> {
  const folder = await temporaryFolder();
  await symlink(NODE_MODULES, join(folder, "node_modules"));
  const all: Record<string, string> = {
    "package.json": JSON.stringify(packageJson ?? { main: "main.js" }),
    "host.json": JSON.stringify({ version: "2.0", ...hostJson }),
    ...files,
  };
  for (const [name, text] of Object.entries(all)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  return folder;
}

/** A host for this app; it is closed after the test. */
export async function startFixture(
  app: FixtureApp | string,
  options: Partial<HostOptions> = {},
): Promise<Fixture> {
  const appFolder = typeof app === "string" ? app : await writeApp(app);
  const dataFolder = options.dataFolder ?? (await temporaryFolder());
  const events: HostEvent[] = [];
  const start = (more: Partial<HostOptions>) =>
    startHost({
      appFolder,
      dataFolder,
      settings: {},
      onEvent: (event) => events.push(event),
      ...options,
      ...more,
    });
  const fixture: Fixture = {
    host: await start({}),
    events,
    appFolder,
    dataFolder,
    logs: () => events.flatMap((event) => (event.kind === "log" ? [event.message] : [])),
    invocations: (functionName) =>
      events.flatMap((event) =>
        event.kind === "invocation" && event.functionName === functionName ? [event] : [],
      ),
    fetch: (path, init) => fetch(`${fixture.host.url}${path}`, init),
    restart: async (more = {}) => {
      await fixture.host.close();
      fixture.host = await start(more);
    },
  };
  afterwards(() => fixture.host.close());
  return fixture;
}

/** Waits until the condition gives something; fails with what was awaited. */
export async function until<T>(
  awaited: string,
  condition: () => T | undefined | false | Promise<T | undefined | false>,
  withinMs = 10_000,
): Promise<T> {
  const endMs = performance.now() + withinMs;
  for (;;) {
    const found = await condition();
    if (found !== undefined && found !== false) return found;
    if (performance.now() > endMs) throw new Error(`not within ${withinMs} ms: ${awaited}`);
    await delay(5);
  }
}
