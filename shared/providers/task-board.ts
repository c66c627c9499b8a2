// The task board: makes tasks for people, in the account of the tenant.
//
//   tasks.create_welcome_task.v1   POST /v1/accounts/{account}/tasks
//   search                         GET  /v1/accounts/{account}/tasks?q={marker}
//
// Its promises, as this reference provider publishes them: no key and no operations; a task keeps the marker that it was
// made with, and the search for a marker shows it within two minutes, as a rule. So a hit settles and a miss never
// does, however often (cases.md 51). Only a task with our marker AND our payload is ours: a marker of
// somebody else that happens to contain ours is passed over, and our marker on another payload is a mismatch that a
// person must see. Two tasks with our marker are both shown: the one settles, the other contradicts it.
import { z } from "zod";
import { digestOf } from "../domain/canonical-json.ts";
import type { Contract } from "../domain/contract.ts";
import { defineAction } from "../domain/definitions.ts";
import type { LookupRequest, Provider } from "../domain/definitions.ts";
import type { LookupVerdict, Receipt } from "../domain/records/evidence.ts";
import { isSameText } from "../domain/same-text.ts";
import { Said, usualAnswers } from "./answer-of.ts";
import type { Answered } from "./http-answer.ts";
import type { HttpReader } from "./http-call.ts";
import { lookedUpProvider } from "./looked-up-provider.ts";

const provider = "task-board";

const WelcomeTask = z.strictObject({
  customer: z.string().min(1).max(200),
  title: z.string().min(1).max(200),
});

const createWelcomeTask = defineAction({
  name: "tasks.create_welcome_task.v1",
  payload: WelcomeTask,
  provider,
  consequence: "Created twice, two people welcome the same customer.",
  autonomy: "auto",
});

export const taskBoardActions = [createWelcomeTask] as const;

const Task = z.object({ id: Said, customer: Said, title: Said, marker: Said });
type Task = z.infer<typeof Task>;
/** One odd task of somebody else's must not hide ours: each is read by itself. */
const Hits = z.object({ items: z.array(z.unknown()).max(1000) });

function contractOf(callTimeoutMs: number, searchSettleMs: number): Contract {
  return {
    revision: 1,
    lookup: { by: "search", consistency: "eventual", settleMs: searchSettleMs },
    answers: usualAnswers,
    horizonMs: 10_000,
    callTimeoutMs,
    consequence: "A repeated call is a second task for the same customer.",
  };
}

export function taskBoard(options: {
  baseUrl: string;
  token: string;
  callTimeoutMs?: number;
  /** How long its search may lag; after that a person is asked. */
  searchSettleMs?: number;
}): Provider {
  const { baseUrl, token, callTimeoutMs = 10_000, searchSettleMs = 120_000 } = options;
  return lookedUpProvider({
    name: provider,
    contract: contractOf(callTimeoutMs, searchSettleMs),
    connection: { baseUrl, token },
    action: createWelcomeTask.name,
    payload: WelcomeTask,
    call: (payload, marker) => ({ path: ["tasks"], body: { ...payload, marker } }),
    done: Task,
    proof: "a task that names its marker",
    receiptOf,
    lookUp: search,
  });
}

async function search(reader: HttpReader, request: LookupRequest): Promise<LookupVerdict> {
  const marker = request.binding.operationId;
  const heard = await reader.get({
    path: ["v1", "accounts", request.account, "tasks"],
    query: { q: marker },
    timeoutMs: request.timeoutMs,
  });
  if (heard.kind !== "answered") return { kind: "inconclusive", reason: heard.reason };
  const hits = heard.status === 200 ? Hits.safeParse(heard.body).data : undefined;
  if (hits === undefined) return { kind: "inconclusive", reason: `${heard.status} without hits` };
  const [ours, ...others] = hits.items
    .flatMap((hit) => Task.safeParse(hit).data ?? [])
    .filter((task) => task.marker === marker)
    .map((task) => receiptOf(request, task, heard));
  // "Not shown": under an eventual contract `recover` takes it for nothing more.
  if (ours === undefined) return { kind: "absent" };
  return { kind: "found", receipt: ours, ...(others.length > 0 && { others }) };
}

/** Bound to what the board shows, never to what was asked for. */
function receiptOf({ binding, payload }: LookupRequest, task: Task, answered: Answered): Receipt {
  const { customer, id, marker, title } = task;
  const sameCustomer = isSameText(customer, payload["customer"]);
  const samePayload = sameCustomer && isSameText(title, payload["title"]);
  return {
    stage: "delivered",
    providerId: id,
    ...(answered.requestId === undefined ? {} : { providerRequestId: answered.requestId }),
    boundTo: {
      operationId: marker,
      target: sameCustomer ? binding.target : customer,
      payloadDigest: samePayload
        ? binding.payloadDigest
        : digestOf({ customer, title }, "the task board's answer"),
    },
    content: task,
  };
}
