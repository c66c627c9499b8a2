// A small Azure of its own for one trial after another: stores, broker and stand-ins in this process, machines outside.
//
// The locks of its queues last two seconds, so that a frozen machine loses its session to another while it is frozen.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { startCosmos } from "../../../local/cosmos/server.ts";
import { startServiceBus } from "../../../local/service-bus/server.ts";
import type { Grant } from "../../../shared/domain/records/grant.ts";
import { openCosmos, openServiceBus } from "../../../shared/stores/connections.ts";
import { cosmosCases } from "../../../shared/stores/cosmos-cases.ts";
import { cosmosControl } from "../../../shared/stores/cosmos-control.ts";
import { cosmosGrants } from "../../../shared/stores/cosmos-grants.ts";
import type { CaseStore, ControlStore, HintQueue } from "../../../shared/stores/ports.ts";
import { serviceBusHints } from "../../../shared/stores/service-bus-hints.ts";
import { workflowType } from "./app/workflow.ts";
import { openConductor, type Conductor } from "./conductor.ts";
import { startMachine, type Machine } from "./machine.ts";
import type { AppliedThere, Subject } from "./subject.ts";
import { openCallWire, openCosmosWire, type CallWire, type CosmosWire } from "./wires.ts";

export const tenantId = "acme";

export interface Lane {
  subjects: readonly Subject[];
  conductor: Conductor;
  machines: readonly Machine[];
  machineOf(pid: number): Machine;
  cases: CaseStore;
  control: ControlStore;
  hints: HintQueue;
  grants: readonly Grant[];
  cosmosWire: CosmosWire;
  callWire: CallWire;
  /** Calls as they came to the door of a stand-in. */
  arrivals: { pid: number; atMs: number }[];
  /** What the stand-ins say they did, all of them. */
  applied(): Promise<readonly AppliedThere[]>;
  /** Every machine has a worker that works. */
  isReady(): boolean;
  close(): Promise<void>;
}

const root = join(import.meta.dirname, "..", "..", "..");

interface Entities {
  serviceBus: { queues: { lockDuration: string }[] };
  cosmos: object;
}

/** Nothing is left behind, whichever way out is taken. */
const folders = new Set<string>();
process.once("exit", () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

export interface LaneOptions {
  subjects: readonly Subject[];
  machines: 1 | 2;
  /** The module that `subjects` are from; absent: the app's own. */
  from?: string | undefined;
}

export async function openLane(options: LaneOptions): Promise<Lane> {
  const { subjects } = options;
  const folder = mkdtempSync(join(tmpdir(), "countersign-crash-"));
  folders.add(folder);
  const text = readFileSync(join(root, "infra", "entities.json"), "utf8");
  const { cosmos: containers, serviceBus: bus } = JSON.parse(text) as Entities;
  const queues = bus.queues.map((queue) => ({ ...queue, lockDuration: "PT2S" }));
  const starts = [...new Set(subjects.map(({ startStandIn }) => startStandIn))];
  const [cosmos, serviceBus, ...standIns] = await Promise.all([
    startCosmos({ dataFolder: join(folder, "cosmos"), entities: containers as never }),
    startServiceBus({ dataFolder: join(folder, "bus"), entities: { queues } as never }),
    ...starts.map((start, n) => start(join(folder, `stand-in-${n}`))),
  ]);
  const conductor = await openConductor();
  const arrivals: Lane["arrivals"] = [];
  const callWire = await openCallWire({
    standInUrls: standIns.map(({ url }) => url),
    arrived: (pid) => void arrivals.push({ pid, atMs: Date.now() }),
    answered: (pid) => conductor.atWire(pid),
  });
  const cosmosWire = await openCosmosWire(cosmos.endpoint);
  const client = openCosmos({ connectionString: cosmos.connectionString });
  const busClient = openServiceBus({ connectionString: serviceBus.connectionString });
  const database = client.database("countersign");
  const register = cosmosGrants(database.container("grants"), { clockMs: () => performance.now() });
  const grants = subjects.map(({ action }) => grantFor(action.name));
  for (const grant of grants) await register.create(grant);
  const settings = {
    ServiceBus: serviceBus.connectionString,
    Cosmos: cosmos.connectionString.replace(
      /AccountEndpoint=[^;]+/,
      `AccountEndpoint=${cosmosWire.url}`,
    ),
    CRASH_CONDUCTOR: conductor.url,
    CRASH_WIRE: callWire.url,
    CRASH_FROM: options.from ?? "",
  };
  const machines = await Promise.all(
    Array.from({ length: options.machines }, () =>
      startMachine({
        folder: mkdtempSync(join(folder, "machine-")),
        settings,
        workerEnded: (pid) => conductor.ended(pid),
      }),
    ),
  );
  return {
    subjects,
    conductor,
    machines,
    machineOf(pid) {
      const found = machines.find((machine) => machine.workerPid() === pid);
      if (found === undefined) throw new Error(`no machine has worker ${pid}`);
      return found;
    },
    cases: cosmosCases(database.container("cases")),
    control: cosmosControl(database.container("control"), { clockMs: () => performance.now() }),
    hints: serviceBusHints(busClient),
    grants,
    cosmosWire,
    callWire,
    arrivals,
    applied: async () => (await Promise.all(standIns.map((one) => one.applied()))).flat(),
    isReady: () =>
      machines.every((machine) => {
        const pid = machine.workerPid();
        return pid !== undefined && conductor.isReady(pid);
      }),
    async close() {
      await Promise.all(machines.map((machine) => machine.close()));
      await busClient.close();
      client.dispose();
      await Promise.all([conductor.close(), callWire.close(), cosmosWire.close()]);
      await Promise.all([
        cosmos.close(),
        serviceBus.close(),
        ...standIns.map((one) => one.close()),
      ]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function grantFor(action: string): Grant {
  return {
    id: `grant:${action}`,
    type: "grant",
    schemaVersion: 1,
    tenantId,
    subject: workflowType,
    action,
    target: "*",
    limits: {},
    grantedBy: "campaign",
    grantedAtMs: 0,
  };
}

/** Polls a condition; false when it never came to be. */
export async function cameTrue(
  condition: () => boolean | Promise<boolean>,
  withinMs: number,
): Promise<boolean> {
  const endMs = performance.now() + withinMs;
  while (!(await condition())) {
    if (performance.now() > endMs) return false;
    await delay(25);
  }
  return true;
}
