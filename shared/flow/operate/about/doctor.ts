// What the app sees of itself and its surroundings, each thing judged: for whoever asks at night whether all is as it should be.
//
// Names of settings, never values. A thing that the app's identity may not see is said to be not readable, which is no fault.
import { z } from "zod";
import { schemaVersion } from "../../../domain/records/evidence.ts";
import type { Book } from "../../../domain/definitions.ts";
import { deafSources, type WebhookSources } from "../../intake/webhook-sources.ts";
import type { ControlRegister } from "../../../stores/ports.ts";
import type { Surroundings } from "../../../stores/surroundings.ts";
import { getRoute } from "../route.ts";
import type { Reply } from "../serve.ts";

const Check = z.object({
  name: z.string(),
  state: z.enum(["ok", "wrong", "notReadable"]),
  says: z.string(),
});
type Check = z.infer<typeof Check>;

const Report = z.object({
  storeMs: z.int().optional().describe("The store's clock, read while this was answered."),
  version: z.string(),
  schemaVersion: z.int().describe("Of the documents that this code writes."),
  workflows: z.array(z.object({ type: z.string(), revision: z.int() })),
  settings: z.array(z.string()).describe("Names of those that are set."),
  checks: z.array(Check),
});

export const showDoctorRoute = getRoute({
  name: "show-doctor",
  path: "doctor",
  summary: "What the app sees of its account, its queues, its settings and its own version.",
  role: "operator",
  params: z.strictObject({}),
  answer: { schema: Report, says: "Each thing with a verdict." },
  problems: [],
});

/** What does not change while the process runs. */
export interface About {
  version: string;
  workflows: readonly { type: string; revision: number }[];
  settings: readonly string[];
}

export interface DoctorPorts {
  about: About;
  surroundings: Surroundings;
  control: ControlRegister;
  book: Book;
  sources: WebhookSources;
  easyAuthIsOn: boolean;
  nowMs(): number;
}

/** As infra/entities.json makes them; a test holds the two together. */
export const partitionKeys: Readonly<Record<string, readonly string[]>> = {
  cases: ["/tenantId", "/caseId"],
  grants: ["/tenantId"],
  control: ["/id"],
  leases: ["/id"],
};
export const queueNames = ["cases", "reviews"];
export const deliveryCountMax = 10;

export async function showDoctor(ports: DoctorPorts): Promise<Reply<z.infer<typeof Report>>> {
  const { about, control, easyAuthIsOn, surroundings } = ports;
  const [drain, account, containers, queues] = await Promise.all([
    control.readDrain(),
    accountCheck(surroundings),
    containerChecks(surroundings),
    queueChecks(surroundings),
  ]);
  const { settings, version, workflows } = about;
  const revisions = workflows.map(({ revision, type }) => `${type} ${revision}`).join(", ");
  const checks: Check[] = [
    { name: "app", state: "ok", says: `version ${version}; workflows ${revisions}` },
    { name: "schema", state: "ok", says: `documents of version ${schemaVersion} are written` },
    {
      name: "Easy Auth",
      state: easyAuthIsOn ? "ok" : "wrong",
      says: easyAuthIsOn ? "on" : "off: no principal is believed, and nobody can sign in",
    },
    account,
    ...containers,
    ...queues,
    sourceCheck(ports),
    { name: "drain", state: "ok", says: drainInWords(drain) },
    { name: "settings", state: "ok", says: settings.join(", ") },
  ];
  const body = {
    ...(drain.storeMs === undefined ? {} : { storeMs: drain.storeMs }),
    version,
    schemaVersion,
    workflows: [...workflows],
    settings: [...settings],
    checks,
  };
  return { kind: "done", body };
}

function sourceCheck({ book, nowMs, sources }: DoctorPorts): Check {
  const deaf = deafSources(sources, book, nowMs());
  return {
    name: "webhook sources",
    state: deaf.length === 0 ? "ok" : "wrong",
    says: deaf.length === 0 ? Object.keys(sources).join(", ") : deaf.join("; "),
  };
}

function drainInWords({ drain, draining }: Awaited<ReturnType<ControlRegister["readDrain"]>>) {
  if (!draining) return "none is on: cases are worked on";
  const since = drain === undefined ? "" : ` since ${new Date(drain.sinceMs).toISOString()}`;
  return `one is on${since}: nothing new is decided or sent`;
}

async function accountCheck(surroundings: Surroundings): Promise<Check> {
  const { consistency, readRegions, writeRegions } = await surroundings.account();
  const isSafe = consistency === "Strong" || consistency === "BoundedStaleness";
  return {
    name: "Cosmos DB account",
    state: isSafe && writeRegions.length <= 1 ? "ok" : "wrong",
    says: `${consistency}; writes in ${writeRegions.join(", ")}; reads in ${readRegions.join(", ")}`,
  };
}

async function containerChecks(surroundings: Surroundings): Promise<Check[]> {
  const seen = await surroundings.containers(Object.keys(partitionKeys));
  if (seen === undefined) {
    const says = "the app's identity may not read what they are";
    return [{ name: "containers", state: "notReadable", says }];
  }
  return seen.map(({ id, partitionKey }) => {
    const name = `container ${id}`;
    if (partitionKey === undefined) return { name, state: "wrong", says: "there is none" };
    const wanted = partitionKeys[id] ?? [];
    const is = partitionKey.join(", ");
    return is === wanted.join(", ")
      ? { name, state: "ok", says: `partitioned by ${is}` }
      : { name, state: "wrong", says: `partitioned by ${is}, not by ${wanted.join(", ")}` };
  });
}

async function queueChecks(surroundings: Surroundings): Promise<Check[]> {
  const seen = await surroundings.queues(queueNames);
  if (seen === undefined) {
    const says = "settings and counts take the right to manage, which the app need not have";
    return [{ name: "queues", state: "notReadable", says }];
  }
  return seen.map((queue) => {
    const wrong = [
      ...(queue.requiresSession ? [] : ["it has no sessions"]),
      ...(queue.detectsDuplicates ? [] : ["it detects no duplicates"]),
      ...(queue.deliveryCountMax === deliveryCountMax
        ? []
        : [`it delivers ${queue.deliveryCountMax} times, not ${deliveryCountMax}`]),
    ];
    const counts = `${queue.active} waiting, ${queue.deadLettered} dead letters, lock ${queue.lockDuration}`;
    return {
      name: `queue ${queue.name}`,
      state: wrong.length === 0 ? "ok" : "wrong",
      says: [...wrong, counts].join("; "),
    };
  });
}
