// The task board: tasks with a marker, and a search that lags behind them.
//
//   POST /v1/accounts/{account}/tasks             -> 201 {id: "TK-000007", customer, title, marker}
//   GET  /v1/accounts/{account}/tasks?q={text}    -> 200 {items: [...]}: every shown task whose marker contains the text
//
// Its retry contract: none. No key; every request that it takes is one more task. A task is shown by the search once
// its `searchLagMs` has passed, which a fault sets; without one a task is shown at once.
import { z } from "zod";
import { bodyRefusal, parseJson, textOf, tokenRefusal } from "./call.ts";
import type { Call, ReadQuestion, ProviderRequest } from "./call.ts";

const Task = z.strictObject({
  customer: z.string().min(1).max(200),
  title: z.string().min(1).max(200),
  marker: z.string().min(1).max(128),
});

export function readTaskCall(request: ProviderRequest): Call | undefined {
  const tasks = /^\/v1\/accounts\/([^/]+)\/tasks$/.exec(request.path);
  if (request.method !== "POST" || tasks?.[1] === undefined) return undefined;
  const body = parseJson(request.body);
  const refusal = tokenRefusal(request.headers) ?? bodyRefusal(Task.safeParse(body));
  return {
    provider: "task-board",
    action: "tasks.create_welcome_task.v1",
    account: decodeURIComponent(tasks[1]),
    target: textOf(body, "customer"),
    operation: textOf(body, "marker"),
    body,
    series: "TK",
    ...(refusal === undefined ? {} : { refusal }),
    result: (id) => ({ status: 201, body: { id, ...Task.parse(body) } }),
  };
}

export const readTaskQuestion: ReadQuestion = (request) => {
  const tasks = /^\/v1\/accounts\/([^/]+)\/tasks$/.exec(request.path);
  if (request.method !== "GET" || tasks?.[1] === undefined) return undefined;
  const account = decodeURIComponent(tasks[1]);
  const text = request.query?.get("q") ?? "";
  return async (journal, nowMs) => {
    if (tokenRefusal(request.headers) !== undefined) {
      return { status: 401, body: { code: "unauthorized" } };
    }
    const shown = (await journal.after(0)).filter(
      (one) =>
        (one.event === "applied" || one.event === "foreign") &&
        one.provider === "task-board" &&
        one.account === account &&
        one.operation.includes(text) &&
        nowMs >= one.atMs + (one.searchLagMs ?? 0),
    );
    return { status: 200, body: { items: shown.flatMap(({ answer }) => answer?.body ?? []) } };
  };
};
