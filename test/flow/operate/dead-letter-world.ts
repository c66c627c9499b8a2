// A real broker with the app's queues and short locks, the operators' API over a world in memory, and dead letters to move.
import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ServiceBusClient, ServiceBusReceivedMessage } from "@azure/service-bus";
import Long from "long";
import entities from "../../../infra/entities.json" with { type: "json" };
import { serviceBusControl } from "../../../local/service-bus/faults.ts";
import { startServiceBus } from "../../../local/service-bus/server.ts";
import { caseKeyText, newWriteId, type CaseKey } from "../../../shared/domain/identity.ts";
import {
  archiveRoute,
  editRoute,
  resubmitRoute,
  type MoveAnswer,
} from "../../../shared/flow/operate/dead-letters/move.ts";
import { editDeadLetter } from "../../../shared/flow/operate/dead-letters/edit-dead-letter.ts";
import { runDeadLetters } from "../../../shared/flow/operate/dead-letters/run-dead-letters.ts";
import {
  groupDeadLetters,
  groupDeadLettersRoute,
  listDeadLetters,
  listDeadLettersRoute,
  previewDeadLetters,
  previewDeadLettersRoute,
} from "../../../shared/flow/operate/dead-letters/list-dead-letters.ts";
import { openServiceBus } from "../../../shared/stores/connections.ts";
import type { DeadLetterStore } from "../../../shared/stores/dead-letter-port.ts";
import { serviceBusDeadLetters } from "../../../shared/stores/service-bus-dead-letters.ts";
import type { Unwanted } from "../../../local/service-bus/make-dead-letters.ts";
import { ana, operatorsOf, type Said, type Who } from "./operators.ts";
import type { World } from "../world.ts";

export type DeadLetterWorld = Awaited<ReturnType<typeof openDeadLetterWorld>>;
export const lockMs = 1500;

export async function openDeadLetterWorld() {
  const dataFolder = await mkdtemp(join(tmpdir(), "dead-letters-"));
  const queues = entities.serviceBus.queues.map((queue) => ({ ...queue, lockDuration: "PT1.5S" }));
  const broker = await startServiceBus({ dataFolder, entities: { serviceBus: { queues } } });
  const { connectionString } = broker;
  const clients: ServiceBusClient[] = [];
  const connect = () => {
    const client = openServiceBus({ connectionString }, { requestTimeoutMs: 2000 });
    clients.push(client);
    return client;
  };
  const client = connect();
  return {
    client,
    connect,
    control: serviceBusControl(broker.controlUrl),
    store: serviceBusDeadLetters(client),
    /** All that a queue holds, in order, without taking it. */
    async waiting(queue = "cases"): Promise<ServiceBusReceivedMessage[]> {
      const receiver = client.createReceiver(queue, { skipParsingBodyAsJson: true });
      const all: ServiceBusReceivedMessage[] = [];
      for (;;) {
        const last = all.at(-1)?.sequenceNumber;
        const page = await receiver.peekMessages(1000, {
          fromSequenceNumber: last === undefined ? Long.ZERO : last.add(1),
        });
        if (page.length === 0) break;
        all.push(...page);
      }
      await receiver.close();
      return all;
    },
    async close() {
      for (const one of clients) await one.close();
      await broker.close();
      await rm(dataFolder, { recursive: true, force: true });
    },
  };
}

/** A hint as the app sends it. */
export function hintMessage(key: CaseKey, change: Partial<Unwanted> = {}): Unwanted {
  const caseKey = caseKeyText(key);
  const hintId = newWriteId();
  return {
    sessionId: caseKey,
    messageId: hintId,
    contentType: "application/json",
    body: { caseKey, hintId, reason: "event" },
    ...change,
  };
}

/** People at the dead letters of a queue, through the door. */
export function deskOf(
  world: World,
  deadLetters: DeadLetterStore,
  queue: "cases" | "reviews" = "cases",
) {
  const people = operatorsOf(world);
  const ports = { ...people.ports, deadLetters, nowMs: () => Date.now(), random: randomUUID };
  const at = (tenant: string) => ({ tenant, queue });
  const move = async (how: "resubmit" | "archive", body: object, who: Who, tenant: string) =>
    people.call(
      how === "resubmit" ? resubmitRoute : archiveRoute,
      ({ body, params, principal }) => runDeadLetters(ports, { ...params, how, body, principal }),
      { who, params: at(tenant), body: { reason: "repaired", dryRun: false, ...body } },
    );
  return {
    people,
    ports,
    resubmit: (body: object = {}, who: Who = ana, tenant = "acme") =>
      move("resubmit", body, who, tenant),
    archive: (body: object = {}, who: Who = ana, tenant = "acme") =>
      move("archive", body, who, tenant),
    edit: (sequence: string, body: object, who: Who = ana, tenant = "acme") =>
      people.call(
        editRoute,
        ({ body, params, principal }) => editDeadLetter(ports, { ...params, body, principal }),
        {
          who,
          params: { ...at(tenant), sequence },
          body: { reason: "wrong case", dryRun: false, ...body },
        },
      ),
    list: (who: Who = ana, tenant = "acme", query: Record<string, string> = {}) =>
      people.call(
        listDeadLettersRoute,
        ({ params, principal, query }) => listDeadLetters(ports, { ...params, principal }, query),
        { who, params: at(tenant), query },
      ),
    preview: (who: Who = ana, tenant = "acme") =>
      people.call(
        previewDeadLettersRoute,
        ({ params, principal, query }) =>
          previewDeadLetters(ports, { ...params, principal }, query),
        { who, params: at(tenant) },
      ),
    causes: (who: Who = ana, tenant = "acme") =>
      people.call(
        groupDeadLettersRoute,
        ({ params, principal, query }) => groupDeadLetters(ports, { ...params, principal }, query),
        { who, params: at(tenant) },
      ),
  };
}

export const moved = ({ body }: Said) => body as unknown as MoveAnswer;

/** Goes on until the run is done; a run that does not end fails. */
export async function wholeRun(
  step: (cursor?: string) => Promise<Said>,
): Promise<{ answers: MoveAnswer[]; sum: (count: keyof MoveAnswer) => number }> {
  const answers: MoveAnswer[] = [];
  for (let cursor: string | undefined; answers.length < 500;) {
    const answer = moved(await step(cursor));
    answers.push(answer);
    if (answer.done) break;
    if (answer.next === undefined) throw new Error(`no next: ${JSON.stringify(answer)}`);
    cursor = answer.next;
  }
  return { answers, sum: (count) => answers.reduce((sum, one) => sum + Number(one[count]), 0) };
}
