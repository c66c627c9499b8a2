// The app that the campaign's workers run: the turn, the stores and the SDKs of the real app, with a book of the
// campaign's own. What production leaves alone is used here: each boundary of a turn is told before it is passed.
import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { app, type InvocationContext } from "@azure/functions";
import { TransientFault } from "../../../../shared/domain/faults.ts";
import type { Provider } from "../../../../shared/domain/definitions.ts";
import { contextLog } from "../../../../shared/flow/context-log.ts";
import type { TurnPorts } from "../../../../shared/flow/turn/turn.ts";
import { handleHint } from "../../../../shared/flow/wake/handle-hint.ts";
import { parseHint } from "../../../../shared/flow/wake/parse-hint.ts";
import { openCosmos, openServiceBus } from "../../../../shared/stores/connections.ts";
import { cosmosCases } from "../../../../shared/stores/cosmos-cases.ts";
import { cosmosControl } from "../../../../shared/stores/cosmos-control.ts";
import { cosmosGrants } from "../../../../shared/stores/cosmos-grants.ts";
import { serviceBusHints } from "../../../../shared/stores/service-bus-hints.ts";
import { shippedSubjects } from "../shipped.ts";
import { subjectsFrom, type Subject } from "../subject.ts";
import { completeBoundary, type Told, type TurnTerms } from "../told.ts";
import { crashBook } from "./workflow.ts";
import { silentTelemetry } from "../../../../shared/telemetry/telemetry.ts";

const { pid } = process;
const setting = (name: string) => process.env[name] ?? "";
const clockMs = () => performance.now();

async function tell(told: Omit<Told, "pid"> & { kind: Told["kind"] }): Promise<TurnTerms> {
  const body = JSON.stringify({ ...told, pid });
  const response = await fetch(setting("CRASH_CONDUCTOR"), { method: "POST", body });
  return (await response.json()) as TurnTerms;
}

const teamModule = setting("CRASH_FROM");
const subjects = teamModule === "" ? shippedSubjects : await subjectsFrom(teamModule);
const starts = [...new Set(subjects.map(({ startStandIn }) => startStandIn))];
const database = openCosmos({ connectionString: setting("Cosmos") }).database("countersign");
const cases = cosmosCases(database.container("cases"));
const grants = cosmosGrants(database.container("grants"), { clockMs });
const control = cosmosControl(database.container("control"), { clockMs });
const hints = serviceBusHints(openServiceBus({ connectionString: setting("ServiceBus") }));

/** The process id stands in the URL: so the wire knows whose call it carries. To the app it is one address. */
function connect({ provider, startStandIn }: Subject): Provider {
  const wire = setting("CRASH_WIRE");
  const { apiVersion } = provider(wire);
  return { ...provider(`${wire}/${pid}/${starts.indexOf(startStandIn)}`), apiVersion };
}

function witnessed(provider: Provider, caseId: string): Provider {
  return {
    ...provider,
    async send(request) {
      await tell({ kind: "sending", caseId, request } as Told);
      const answer = await provider.send(request);
      const { operationId } = request.binding;
      if (answer.kind === "receipt") await tell({ kind: "receipt", caseId, operationId } as Told);
      return answer;
    },
  };
}

function portsOf(caseId: string, context: InvocationContext, terms: TurnTerms): TurnPorts {
  const log = contextLog(context);
  const book = crashBook({
    subjects,
    connect: (subject) => witnessed(connect(subject), caseId),
    asked: async (id, version) => void (await tell({ kind: "asked", caseId: id, version } as Told)),
    decided: async (id, version, decision) =>
      void (await tell({ kind: "decided", caseId: id, version, decision } as Told)),
  });
  return {
    cases,
    control,
    hints,
    book,
    grants: {
      candidates: (wanted) => grants.candidates(wanted),
      async read(tenantId, grantId) {
        await tell({ kind: "gateRead", caseId, grantId } as Told);
        return grants.read(tenantId, grantId);
      },
    },
    log: {
      ...log,
      warn(message, fields) {
        if (message === "postponed") void tell({ kind: "lost", caseId } as Told);
        log.warn(message, fields);
      },
    },
    telemetry: silentTelemetry,
    monotonicMs: clockMs,
    sleep: (ms) => delay(ms),
    workerId: String(pid),
    turnBudgetMs: terms.turnBudgetMs,
    fused: true,
    async at(boundary, act) {
      await tell({ kind: "at", caseId, boundary } as Told);
      return act();
    },
  };
}

async function work(
  queue: "cases" | "reviews",
  message: unknown,
  context: InvocationContext,
): Promise<void> {
  const { caseId } = parseHint(message).key;
  const terms = await tell({ kind: "turnStarted", caseId } as Told);
  try {
    const ports = portsOf(caseId, context, terms);
    await handleHint(ports, message, {
      queue,
      deliveryCount: context.triggerMetadata?.["deliveryCount"],
      wallClockMs: Date.now(),
      random: randomUUID,
    });
    await tell({ kind: "at", caseId, boundary: completeBoundary } as Told);
  } catch (error) {
    await tell({ kind: "lost", caseId } as Told);
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    if (!(error instanceof TransientFault)) await tell({ kind: "defect", caseId, text } as Told);
    throw error;
  } finally {
    await tell({ kind: "turnEnded", caseId } as Told);
  }
}

for (const queueName of ["cases", "reviews"] as const) {
  app.serviceBusQueue(`work-${queueName}`, {
    connection: "ServiceBus",
    queueName,
    isSessionsEnabled: true,
    handler: (message, context) => work(queueName, message, context),
  });
}
await tell({ kind: "hello" });
