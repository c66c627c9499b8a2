// The life of one call at a provider, from the journal's first line about it to its answer.
//
//   fault? -> received -> admitted by its key? -> applied -> answered
//
// Nothing is answered before the line that justifies it is on disk, and nothing is applied twice
// under one stored key, whatever fault is in force: a fault changes what the caller hears, or
// whether the call is carried out, never the promise. A `down` provider does not even record that it
// was called, except for the fault's own line.
import type { ServerResponse } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import type { Call } from "./systems/call.ts";
import { conducts } from "./fault-table.ts";
import type { Conduct, Fault, FaultTable } from "./fault-table.ts";
import type { Answer, IdempotencyKeys } from "./systems/idempotency-keys.ts";
import type { Draft, Journal } from "./journal.ts";
import { substituteFor } from "./substitutes.ts";
import type { Reply } from "./substitutes.ts";
import { answer, drop } from "./wire.ts";
import type { HeldCalls } from "./wire.ts";

export interface World {
  journal: Journal;
  faults: FaultTable;
  keys: IdempotencyKeys;
  /** What can happen to its target one time only, and has. */
  done: Set<string>;
  held: HeldCalls;
  nextResultId(series: string): string;
  /** Aborted when the server closes: what would be applied later is then never applied. */
  closing: AbortSignal;
  latencyMs: number;
  nowMs(): number;
}

export interface Exchange {
  call: Call;
  digest: string;
  requestId: string;
  response: ServerResponse;
}

const wellBehaved: Conduct = { apply: "now", answer: "own" };

export async function serveCall(world: World, exchange: Exchange): Promise<void> {
  const { call, response } = exchange;
  const fault = world.faults.take(call);
  if (fault?.fault !== "down") await note(world, exchange, { event: "received", body: call.body });
  if (fault !== undefined) {
    await note(world, exchange, { event: "faultFired", fault: fault.fault });
  }
  const conduct = fault === undefined ? wellBehaved : conducts[fault.fault];
  if (fault?.fault === "foreignMarker") await makeForeign(world, exchange);
  if (conduct.apply === "no") {
    if (conduct.answer === "drop") drop(response);
    else if (conduct.answer === "hold") await holdUnapplied(world, exchange);
    else if (fault !== undefined) await reply(world, exchange, substituteFor(fault));
    return;
  }
  if (conduct.apply === "late") {
    const applied = carryOut(world, exchange, {
      delayMs: fault?.delayMs ?? 1_000,
      searchLagMs: fault?.searchLagMs,
    });
    drop(response);
    await applied;
    return;
  }
  const own = await carryOut(world, exchange, { searchLagMs: fault?.searchLagMs });
  await tell(world, exchange, { fault, conduct, own });
}

/** Applies the call, or says why not. `undefined`: the server closed before it came to it. */
async function carryOut(
  world: World,
  exchange: Exchange,
  { delayMs = 0, searchLagMs }: { delayMs?: number; searchLagMs?: number | undefined } = {},
): Promise<Reply | undefined> {
  const { call, digest } = exchange;
  if (call.refusal !== undefined) {
    const { status, code, detail } = call.refusal;
    return { status, body: { code, detail } };
  }
  if (call.key !== undefined) {
    const admission = world.keys.begin(call.account, call.key, digest, world.nowMs());
    switch (admission.kind) {
      case "execute":
        break;
      case "replay":
        return { ...admission.answer, headers: { "idempotent-replayed": "true" } };
      case "reused":
        return { status: 409, body: { code: "idempotency_key_reused" } };
      case "inProgress":
        return {
          status: 409,
          body: { code: "idempotency_in_progress" },
          headers: { "retry-after": "1" },
        };
    }
  }
  if (delayMs > 0 && !(await waited(delayMs, world.closing))) return undefined;
  if (call.once === true) {
    const one = onceKey(call);
    if (world.done.has(one))
      return { status: 409, body: { code: "already_closed", by: "earlier" } };
    world.done.add(one);
  }
  return apply(world, exchange, searchLagMs);
}

/** Of a thing that can be done to its target one time only. */
export function onceKey(call: Pick<Draft, "provider" | "account" | "target">): string {
  return JSON.stringify([call.provider, call.account, call.target]);
}

/** A task of somebody else's: its marker contains ours and is not ours. */
async function makeForeign(world: World, exchange: Exchange): Promise<void> {
  const { call } = exchange;
  const marker = `copy-of-${call.operation}`;
  const body = { ...(call.body as object), id: "TK-999999", marker };
  const answer = { status: 201, body, resultId: "TK-999999" };
  await note(world, exchange, { event: "foreign", operation: marker, answer });
}

async function apply(
  world: World,
  exchange: Exchange,
  searchLagMs: number | undefined,
): Promise<Answer> {
  const { call, digest } = exchange;
  const resultId = world.nextResultId(call.series);
  const given: Answer = { ...call.result(resultId), resultId };
  const entry = await note(world, exchange, {
    event: "applied",
    body: call.body,
    digest,
    resultId,
    answer: given,
    ...(searchLagMs === undefined ? {} : { searchLagMs }),
  });
  if (call.key !== undefined) {
    world.keys.store(call.account, call.key, digest, given, entry.atMs);
  }
  return given;
}

/** Keeps the caller and its key waiting; answers what it would have answered once released. */
async function holdUnapplied(world: World, exchange: Exchange): Promise<void> {
  const { call, digest, response } = exchange;
  const keyed = call.key !== undefined && call.refusal === undefined;
  const admission = keyed
    ? world.keys.begin(call.account, call.key ?? "", digest, world.nowMs())
    : undefined;
  const end = await world.held.hold(response);
  if (admission?.kind === "execute") world.keys.abandon(call.account, call.key ?? "");
  if (end === "released") await reply(world, exchange, await carryOut(world, exchange));
}

async function tell(
  world: World,
  exchange: Exchange,
  told: { fault: Fault | undefined; conduct: Conduct; own: Reply | undefined },
): Promise<void> {
  const { fault, conduct, own } = told;
  switch (conduct.answer) {
    case "own":
      return reply(world, exchange, own);
    case "late":
      if (await waited(fault?.delayMs ?? 1_000, world.closing)) await reply(world, exchange, own);
      return undefined;
    case "drop":
      drop(exchange.response);
      return undefined;
    case "hold":
      if ((await world.held.hold(exchange.response)) === "released") {
        await reply(world, exchange, own);
      }
      return undefined;
    case "substitute":
      return fault && reply(world, exchange, substituteFor(fault));
  }
}

async function reply(world: World, exchange: Exchange, given: Reply | undefined): Promise<void> {
  if (given === undefined) return;
  if (world.latencyMs > 0 && !(await waited(world.latencyMs, world.closing))) return;
  const heard = await answer(exchange.response, given.status, given.body, given.headers);
  if (!heard) return;
  await note(world, exchange, {
    event: "answered",
    status: given.status,
    ...(given.resultId === undefined ? {} : { resultId: given.resultId }),
  });
}

function note(
  world: World,
  exchange: Exchange,
  what: Pick<Draft, "event"> & Partial<Draft>,
): ReturnType<Journal["append"]> {
  const { call, requestId } = exchange;
  const { provider, action, account, target, operation, key } = call;
  return world.journal.append({
    provider,
    requestId,
    account,
    action,
    target,
    operation,
    ...(key === undefined ? {} : { key }),
    ...what,
  });
}

async function waited(ms: number, closing: AbortSignal): Promise<boolean> {
  try {
    await delay(ms, undefined, { signal: closing });
    return true;
  } catch (error) {
    if (closing.aborted) return false;
    throw error;
  }
}
