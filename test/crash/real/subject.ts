// What it takes to try an action for crashes with real workers: its adapter, something to do, and a stand-in.
//
// A team gives its own in a module, and runs it with
//
//   npm run crash -- --action NAME --from path/to/module.ts
//
// The module exports `subjects: Subject[]`; test/workflows/refund-request/subjects.ts is one to copy. It is loaded by the
// campaign, which starts the stand-in, and by each worker process, which wires the adapter; so it must do nothing when it
// is loaded.
//
// The stand-in is an HTTP server on 127.0.0.1 that plays the external system and keeps its promises, with a journal of
// what it has applied. It needs no faults of its own: the campaign puts a wire between adapter and stand-in, and holds,
// drops or cuts there. Times are the campaign's: whatever the contract says, its call time-out, horizon and settle time
// are made short, so a stand-in applies a call at once or never, and a search shows it at once.
import type { Contract } from "../../../shared/domain/contract.ts";
import type { Action, Provider } from "../../../shared/domain/definitions.ts";

export interface Subject {
  action: Action;
  /** The adapter as the composition root wires it, aimed at the stand-in's URL. */
  provider(baseUrl: string): Provider;
  /** One thing to do, in a case that the campaign names; another `tag`, another target. */
  example(tag: string): { target: string; payload: Record<string, unknown> };
  /** Subjects that share an external system name the same function: it is started once. */
  startStandIn(dataFolder: string): Promise<StandIn>;
}

export interface StandIn {
  url: string;
  /** What it has done in the world, once per entry, in order. */
  applied(): Promise<readonly AppliedThere[]>;
  close(): Promise<void>;
}

/** One line of the stand-in's journal, in the terms of the action's own payload. */
export interface AppliedThere {
  action: string;
  atMs: number;
  /** As the request named it, wherever the provider keeps it; empty when it named none. */
  operationId: string;
  target: string;
  payload: Record<string, unknown>;
  /** The provider's own number for what it did, as its receipts tell it. */
  providerId: string;
}

/** Long enough that a very busy machine still gets from a claim to its call in half of it, as the gate wants. */
export const callTimeoutMs = 4000;
export const horizonMs = 1500;

/** The same adapter under the campaign's times. */
export function shortened(provider: Provider): Provider {
  const { idempotency, lookup, ...rest } = provider.contract;
  const contract: Contract = {
    ...rest,
    callTimeoutMs,
    horizonMs,
    ...(idempotency === undefined ? {} : { idempotency }),
    ...(lookup === undefined ? {} : { lookup: { ...lookup, settleMs: lookup.settleMs && 1000 } }),
  };
  return { ...provider, contract };
}

/** As the campaign offers them, by the provider's name. */
export function contractsOf(subjects: readonly Subject[]): Record<string, Contract> {
  const providers = subjects.map(({ provider }) => shortened(provider("http://127.0.0.1:9")));
  return Object.fromEntries(providers.map(({ contract, name }) => [name, contract]));
}

export async function subjectsFrom(modulePath: string): Promise<readonly Subject[]> {
  const { subjects } = (await import(modulePath)) as { subjects?: unknown };
  if (!Array.isArray(subjects) || !subjects.every(isSubject)) {
    throw new Error(
      `${modulePath} must export "subjects": a list of { action, provider, example, startStandIn } (test/crash/real/subject.ts).`,
    );
  }
  return subjects;
}

function isSubject(value: unknown): value is Subject {
  if (typeof value !== "object" || value === null) return false;
  const parts = value as Partial<Record<keyof Subject, unknown>>;
  const calls = [parts.provider, parts.example, parts.startStandIn];
  return typeof parts.action === "object" && calls.every((call) => typeof call === "function");
}
