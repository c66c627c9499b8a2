// The one door of the operators' API: who, may they, what do they ask, is it kept, and only then the work.
//
// A request that changes something is in the record before anything is done: one that cannot be recorded is not carried
// out. What came of it is told by the answer's status. Nothing here knows what a route is for.
import type { z } from "zod";
import { digestOf } from "../../domain/canonical-json.ts";
import { TerminalFault, TransientFault } from "../../domain/faults.ts";
import { operatorRecordIdOf } from "../../domain/identity.ts";
import { schemaVersion } from "../../domain/records/evidence.ts";
import {
  deploymentRecords,
  type OperatorRecord,
  tenantRecords,
} from "../../domain/records/operator-record.ts";
import type { OperatorStore } from "../../stores/operator-ports.ts";
import { problem, type Problem, type ProblemResponse } from "../problem.ts";
import type { Log } from "../turn/turn.ts";
import { authorize, type Caller } from "./access/authorize.ts";
import type { Principal } from "./access/principal.ts";
import { readBody, readFields } from "./access/read-body.ts";
import type { Recorded, Route } from "./route.ts";
import { etagOf, isAsBefore } from "./unchanged.ts";
import type { Telemetry } from "../../telemetry/telemetry.ts";

export interface ApiRequest extends Caller {
  params: Readonly<Record<string, string>>;
  query: URLSearchParams;
  text(): Promise<string>;
}

export interface Running {
  easyAuthIsOn: boolean;
  records: Pick<OperatorStore, "createRecord" | "finishRecord">;
  telemetry: Telemetry;
  nowMs(): number;
  random(): string;
}

export interface Call<Params, Query, Body> {
  params: Params;
  query: Query;
  body: Body;
  principal: Principal;
  /** Of the record that is kept of it; empty where none is. */
  recordId: string;
}

/** What a route's own work answers; `done` may carry another status of success, and what the record shall say of it. */
export type Reply<Answer> =
  | { kind: "done"; body: Answer; status?: number; recorded?: string }
  | { kind: "problem"; problem: Problem };

export interface ApiResponse {
  status: number;
  headers: Record<string, string>;
  body: string;
}

export async function serve<
  Params extends z.ZodObject,
  Query extends z.ZodObject,
  Body extends z.ZodObject,
  Answer extends z.ZodType,
  Ports extends Running,
>(
  route: Route<Params, Query, Body, Answer>,
  asked: { request: ApiRequest; log: Log; running: () => Promise<Ports> },
  act: (
    call: Call<z.output<Params>, z.output<Query>, z.output<Body>>,
    running: Ports,
  ) => Promise<Reply<z.input<Answer>>>,
): Promise<ApiResponse | ProblemResponse> {
  const { log, request } = asked;
  try {
    const running = await asked.running();
    // Without a tenant it is about the whole deployment, and no role of one tenant is enough.
    const tenantId = request.params["tenant"] ?? deploymentRecords;
    const need = { role: route.role, tenantId };
    const authorized = authorize(request, need, running);
    if (authorized.kind === "denied") return authorized.response;
    const { principal } = authorized;
    const params = readFields(given(request.params), route.params, "path");
    if (params.kind === "wrong") return params.response;
    const query = readFields(Object.fromEntries(request.query), route.query, "query");
    if (query.kind === "wrong") return query.response;
    const body = readBody(route.method === "GET" ? "" : await request.text(), route.body);
    if (body.kind === "wrong") return body.response;
    const said = { params: params.value, query: query.value, body: body.value };
    const call = { ...said, principal, recordId: "" };
    const about = route.record?.({ params: params.value, body: body.value });
    if (about === undefined) return responseTo(route, await act(call, running), request);
    const kept = { action: route.name, principal, params: request.params, about };
    const record = recordOf(running, kept);
    // What a person did is one trace with the turn that it wakes.
    const span = { fields: { action: route.name } };
    const reply = await running.telemetry.span("operate", span, () => {
      running.telemetry.keep();
      return recorded(running, record, () => act({ ...call, recordId: record.id }, running));
    });
    log.info("an operator acted", {
      action: route.name,
      tenantId: need.tenantId,
      caseId: request.params["case"],
      result: reply.kind === "done" ? "done" : reply.problem.slug,
    });
    return responseTo(route, reply, request);
  } catch (error) {
    return faultResponse(error, route.name, log);
  }
}

/** An optional part of a path that is not there may come as an empty text. */
function given(params: ApiRequest["params"]): Record<string, string> {
  return Object.fromEntries(Object.entries(params).filter(([, value]) => value !== ""));
}

function responseTo(
  route: Pick<Route, "answer" | "method">,
  reply: Reply<unknown>,
  request: ApiRequest,
): ApiResponse | ProblemResponse {
  if (reply.kind === "problem") return problem(reply.problem);
  const headers = { "content-type": "application/json", "cache-control": "no-store" };
  const status = reply.status ?? route.answer.status;
  const body = JSON.stringify(reply.body);
  if (route.method !== "GET") return { status, headers, body };
  const etag = etagOf(reply.body);
  return isAsBefore(etag, request.headers.get("if-none-match"))
    ? { status: 304, headers: { "cache-control": "no-store", etag }, body: "" }
    : { status, headers: { ...headers, etag }, body };
}

const unavailable = {
  status: 503,
  slug: "unavailable",
  detail: "The store or the broker did not answer; send the same request again.",
  retryAfterSeconds: 5,
} as const;

function faultResponse(error: unknown, route: string, log: Log): ProblemResponse {
  if (error instanceof TransientFault) {
    log.warn("an operator's request could not be answered", { route, why: error.message });
    return problem(unavailable);
  }
  if (!(error instanceof TerminalFault)) throw error;
  log.error("an operator's request met a fault", { route, why: error.message });
  const detail = "This cannot be answered until it is repaired here; the app's log says why.";
  return problem({ status: 500, slug: "fault", detail });
}

async function recorded<Answer>(
  running: Running,
  record: OperatorRecord,
  act: () => Promise<Reply<Answer>>,
): Promise<Reply<Answer>> {
  const created = await running.records.createRecord(record);
  if (created === "uncertain") return { kind: "problem", problem: unavailable };
  const reply = await act();
  const outcome = { ...outcomeOf(reply), atMs: running.nowMs() };
  await running.records.finishRecord({ ...record, outcome });
  return reply;
}

/** Another request under the id of one that was made before has a record of its own. */
function recordOf(
  running: Running,
  kept: {
    action: string;
    principal: Principal;
    params: Readonly<Record<string, string>>;
    about: Recorded;
  },
): OperatorRecord {
  const { about, action, params, principal } = kept;
  const { decisionId = running.random(), details = {}, reason = "", subject } = about;
  const asked = digestOf({ details, reason }, "the request");
  const atMs = running.nowMs();
  const caseId = params["case"] ?? tenantRecords;
  return {
    id: operatorRecordIdOf(action, subject, decisionId, principal.id, asked),
    type: "operatorRecord",
    schemaVersion,
    tenantId: params["tenant"] ?? deploymentRecords,
    caseId,
    action,
    subject,
    by: principal.id,
    ...(principal.name === undefined ? {} : { byName: principal.name }),
    ...(about.reason === undefined ? {} : { reason }),
    details: { ...details },
    atMs,
    outcome: { kind: "asked", atMs },
  };
}

function outcomeOf(reply: Reply<unknown>): Omit<OperatorRecord["outcome"], "atMs"> {
  if (reply.kind === "done") {
    return { kind: "done", ...(reply.recorded === undefined ? {} : { detail: reply.recorded }) };
  }
  const { detail, status } = reply.problem;
  return { kind: status >= 500 ? "unanswered" : "refused", detail };
}
