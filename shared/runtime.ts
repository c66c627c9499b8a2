// The one composition root: settings in, everything wired, once per worker process.
//
// Functions call `runtime()`; the first call connects and pins the case-id key, all later ones share it. A failed
// start is not kept: the next invocation tries again.
import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { app } from "@azure/functions";
import packageJson from "../package.json" with { type: "json" };
import { readConfig, type Config } from "./config.ts";
import { assertFitsTurn } from "./domain/contract.ts";
import { bookOf } from "./domain/book-of.ts";
import type { Book } from "./domain/definitions.ts";
import { TerminalFault } from "./domain/faults.ts";
import { caseIdKeyFingerprint } from "./domain/identity.ts";
import { carryTrace } from "./flow/measure/carry-trace.ts";
import { traceBoundaries } from "./flow/measure/trace-boundaries.ts";
import type { IntakePorts } from "./flow/intake/record-event.ts";
import type { AnswerPorts } from "./flow/operate/approvals/answer-approval.ts";
import type { DoctorPorts } from "./flow/operate/about/doctor.ts";
import type { MovePorts } from "./flow/operate/dead-letters/run-dead-letters.ts";
import type { DrainPorts } from "./flow/operate/drain/drain.ts";
import type { GrantPorts } from "./flow/operate/grants/give-grant.ts";
import type { ResolvePorts } from "./flow/operate/reviews/resolve-review.ts";
import type { Running } from "./flow/operate/serve.ts";
import { pacing } from "./flow/turn/pacing.ts";
import type { Log, TurnPorts } from "./flow/turn/turn.ts";
import type { RetryPorts } from "./flow/wake/retry-reports.ts";
import { registered } from "./registered.ts";
import type { SchedulePorts } from "./flow/wake/run-schedules.ts";
import { assertSchedules } from "./flow/wake/schedules.ts";
import { assertSafeAccount, openCosmos, openServiceBus } from "./stores/connections.ts";
import { cosmosCases } from "./stores/cosmos-cases.ts";
import { cosmosControl } from "./stores/cosmos-control.ts";
import { cosmosGrants } from "./stores/cosmos-grants.ts";
import { cosmosOperators } from "./stores/cosmos-operators.ts";
import { cosmosReports } from "./stores/cosmos-reports.ts";
import type { Heard } from "./stores/cosmos/listen.ts";
import type { OperatorStore } from "./stores/operator-ports.ts";
import type { ReportStore } from "./stores/ports.ts";
import { azureSurroundings } from "./stores/surroundings.ts";
import { serviceBusDeadLetters } from "./stores/service-bus-dead-letters.ts";
import { serviceBusHints } from "./stores/service-bus-hints.ts";
import { startTelemetry, type Opened } from "./telemetry/start-telemetry.ts";
import { silentTelemetry, type Telemetry } from "./telemetry/telemetry.ts";

export interface Runtime {
  /** The ports of a turn, with the invocation's own log. */
  turn(log: Log): TurnPorts;
  intake(log: Log): IntakePorts;
  retryReports(log: Log): RetryPorts;
  schedules(log: Log): SchedulePorts;
  operate(log: Log): OperatePorts;
}

/** What the operators' routes need. */
export type OperatePorts = AnswerPorts &
  DoctorPorts &
  DrainPorts &
  MovePorts &
  GrantPorts &
  ResolvePorts &
  Running & {
    reports: ReportStore;
    caseIdKey: Uint8Array;
    /** Those that the configuration names. */
    tenants: readonly string[];
  };

/** Monotonic: only differences mean anything. */
const clockMs = () => performance.now();
const nowMs = () => Date.now();

/** What is still here is handed on before a worker ends; the host kills it after a few seconds. */
let closeTelemetry: Opened["close"] | undefined;
app.hook.appTerminate(() => closeTelemetry?.(2000));

let started: Promise<Runtime> | undefined;

export function runtime(): Promise<Runtime> {
  started ??= start(readConfig()).catch((error: unknown) => {
    started = undefined;
    throw error;
  });
  return started;
}

/** The operators' ports for one invocation; a start that fails is told by the door, as any fault is. */
export function operating(log: Log): () => Promise<OperatePorts> {
  return async () => (await runtime()).operate(log);
}

async function start(config: Config): Promise<Runtime> {
  const workerId = randomUUID();
  const { telemetry, close } = await startTelemetry(config.telemetry, workerId);
  closeTelemetry = close;
  const stores = await openStores(config, telemetry);
  const book = await bookFrom(config);
  assertSchedules(book, config.schedules);
  const fingerprint = caseIdKeyFingerprint(config.caseIdKey);
  if ((await stores.control.pinCaseIdKey(fingerprint)) !== fingerprint) {
    throw new TerminalFault(
      "setting CASE_ID_KEY is not the key that this database was begun with; put the first one back.",
    );
  }
  return wired(config, { ...stores, book, telemetry }, workerId);
}

async function openStores(config: Config, telemetry: Telemetry) {
  const { instanceId } = config;
  const named = instanceId === undefined ? {} : { instanceId };
  const cosmos = openCosmos(config.cosmos, {
    ...named,
    // Where nobody listens, no answer is looked at.
    ...(telemetry === silentTelemetry ? {} : { hear: hearer(telemetry) }),
  });
  await assertSafeAccount(cosmos);
  const database = cosmos.database(config.cosmosDatabase);
  const bus = openServiceBus(config.serviceBus, named);
  return {
    cases: cosmosCases(database.container("cases")),
    operators: cosmosOperators(database.container("cases")),
    reports: cosmosReports(database.container("cases")),
    grants: cosmosGrants(database.container("grants"), { clockMs }),
    control: cosmosControl(database.container("control"), { clockMs }),
    hints: carryTrace(serviceBusHints(bus), { telemetry, nowMs }),
    surroundings: azureSurroundings({ client: cosmos, database }, config.serviceBus),
    deadLetters: serviceBusDeadLetters(bus),
  };
}

function hearer(telemetry: Telemetry) {
  return ({ charge, status }: Heard) => {
    telemetry.add("countersign.store.charge", charge);
    if (status === 429) telemetry.count("countersign.store.throttled");
  };
}

function wired(
  config: Config,
  stores: Awaited<ReturnType<typeof openStores>> & { book: Book; telemetry: Telemetry },
  workerId: string,
): Runtime {
  const { caseIdKey } = config;
  const { telemetry } = stores;
  const paced = pacing(clockMs);
  const common = { ...stores, random: () => randomUUID(), nowMs };
  return {
    operate: (log) => ({ ...common, ...operatorPorts(config, stores), log }),
    retryReports: (log) => ({ ...common, log }),
    schedules: (log) => ({ ...common, log, schedules: config.schedules, caseIdKey }),
    intake: (log) => ({ ...common, log, sources: config.webhookSources, caseIdKey }),
    turn: (log) => ({
      ...stores,
      log,
      monotonicMs: clockMs,
      sleep: (ms) => delay(ms),
      workerId,
      turnBudgetMs: config.turnBudgetMs,
      pacing: paced,
      fused: true,
      at: traceBoundaries(telemetry),
    }),
  };
}

function operatorPorts(
  config: Config,
  { book, operators }: { book: Book; operators: OperatorStore },
) {
  const workflows = book.workflows.map(({ revision, type }) => ({ revision, type }));
  return {
    about: { version: packageJson.version, workflows, settings: config.settingNames },
    records: operators,
    caseIdKey: config.caseIdKey,
    sources: config.webhookSources,
    easyAuthIsOn: config.easyAuthIsOn,
    tenants: Object.values(config.webhookSources).map(({ tenantId }) => tenantId),
  };
}

async function bookFrom(config: Config): Promise<Book> {
  const { approvals, payloadKeys, turnBudgetMs } = config;
  const parts = await registered(config);
  for (const { contract, name } of parts.providers) assertFitsTurn(turnBudgetMs, name, contract);
  return bookOf({ ...parts, payloadKeys, approvals });
}
