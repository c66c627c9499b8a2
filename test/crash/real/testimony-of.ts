// What the auditor is given of a trial: the stand-in's journal, the store as the SDK reads it, what passed on the wires.
import type { CaseKey } from "../../../shared/domain/identity.ts";
import type { Applied, Received, Testimony } from "../../audit/testimony.ts";
import type { Notes } from "./conductor.ts";
import { tenantId, type Lane } from "./lane.ts";
import { contractsOf, type AppliedThere } from "./subject.ts";

const stallMs = 200;

/** No trial has people, models, pacing or an erasing: those rules have nothing to judge here. */
const nobodyElse = {
  answers: [],
  asksFirst: () => false,
  privateNote: "",
  sealedNote: "no payload says this",
  keyIds: new Set<string>(),
  lastingPayloads: undefined,
  recordEdits: [],
  pacing: undefined,
  admissions: [],
  askedForTime: [],
  advices: [],
  checkpoints: [],
  timers: [],
  reports: [],
  erasures: [],
  turns: [],
  workers: new Map<string, never>(),
} as const;

export interface Trialled {
  notes: Notes;
  freezes: Testimony["freezes"];
  statements: Testimony["statements"];
  applied: readonly AppliedThere[];
}

export async function testimonyOf(
  lane: Lane,
  key: CaseKey,
  { applied, freezes, notes, statements }: Trialled,
): Promise<Testimony> {
  const providerOf = new Map(lane.subjects.map(({ action }) => [action.name, action.provider]));
  const received = receivedOf(lane, { notes, applied, providerOf });
  return {
    endedAtMs: Date.now(),
    settled: true,
    cases: [
      {
        key,
        landed: lane.cosmosWire.landedOf(key.caseId),
        final: await lane.cases.history(key),
        events: ["event:src:e1"],
        decisions: notes.decisions.map((made) => ({ ...made, revision: 1 })),
        decider: "rest",
      },
    ],
    received,
    applied: applied.map((entry): Applied => {
      const provider = providerOf.get(entry.action) ?? "";
      return { ...entry, tenantId, provider, visibleAtMs: entry.atMs };
    }),
    contracts: contractsOf(lane.subjects),
    grants: lane.grants.map((grant) => ({ atMs: 0, grant })),
    gateReads: notes.gateReads,
    freezes: [...freezes, ...stallsOf(received, notes)],
    statements,
    answered: notes.answered,
    lostWorkers: notes.lostWorkers,
    ...nobodyElse,
    defects: notes.defects,
  };
}

/** A busy machine may stall a worker behind its gate, unasked: the same window as a freeze there. */
function stallsOf(received: readonly Received[], { passed }: Notes): Testimony["freezes"] {
  return received.flatMap(({ sentAtMs, worker }) => {
    const fromMs = passed.findLast((one) => one.worker === worker && one.atMs <= sentAtMs)?.atMs;
    const isStall = fromMs !== undefined && sentAtMs - fromMs > stallMs;
    return isStall ? [{ worker, fromMs, toMs: sentAtMs }] : [];
  });
}

/** Each arrival at a stand-in's door, with what the worker's gate had let through last; bytes as the stand-in took them. */
function receivedOf(
  { arrivals }: Lane,
  about: {
    notes: Notes;
    applied: readonly AppliedThere[];
    providerOf: ReadonlyMap<string, string>;
  },
): Received[] {
  return arrivals.flatMap(({ atMs, pid }) => {
    const sending = about.notes.sendings.findLast((one) => one.pid === pid && one.atMs <= atMs);
    if (sending === undefined) return [];
    const { action, binding, fence, payload } = sending.request;
    const { operationId, target } = binding;
    const taken = about.applied.find((entry) => entry.operationId === operationId);
    return [
      {
        atMs,
        sentAtMs: atMs,
        worker: String(pid),
        provider: about.providerOf.get(action) ?? "",
        tenantId,
        operationId,
        action,
        target: taken?.target ?? target,
        payload: taken?.payload ?? payload,
        fence,
      },
    ];
  });
}
