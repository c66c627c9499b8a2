// What one worker of a simulated world is given: the flows' own ports, with a journal behind each that it cannot touch.
import type { Book } from "../../shared/domain/definitions.ts";
import { TransientFault } from "../../shared/domain/faults.ts";
import type { Pacing } from "../../shared/flow/turn/pacing.ts";
import type { Log, TurnPorts } from "../../shared/flow/turn/turn.ts";
import type { CaseStore, GrantStore } from "../../shared/stores/ports.ts";
import { contractAt } from "./contracts.ts";
import { heardIn } from "./happenings.ts";
import { simulatedBook, type Advice } from "./workflows.ts";
import { businessOf, type WorkerState, type World } from "./world.ts";
import { silentTelemetry } from "../../shared/telemetry/telemetry.ts";

const modelMs = 800;

export function portsOf(world: World, worker: WorkerState): TurnPorts {
  const { clock, control, hints, nowMs, notes, options } = world;
  notes.workers.set(worker.id, { revision: worker.revision, instance: worker.instance });
  const pacing = watchedPacing(world, worker);
  return {
    cases: casesOf(world, worker),
    grants: watchedGrants(world, worker),
    control,
    hints,
    book: bookOf(world, worker),
    log: logOf(world, worker),
    telemetry: silentTelemetry,
    monotonicMs: nowMs,
    sleep: (ms) => clock.sleep(ms),
    workerId: worker.id,
    turnBudgetMs: options.turnBudgetMs ?? 90_000,
    ...(pacing === undefined ? {} : { pacing }),
    fused: options.fused ?? true,
    at: (boundary, act) => options.visit({ worker, boundary }, act),
  };
}

export function bookOf(world: World, worker: WorkerState): Book {
  const { notes, options, reached, record } = world;
  const { keys: payloadKeys, revision } = worker;
  const apiVersion = options.moves === true ? `v${revision}` : "v1";
  const providers = Object.entries(world.offered).map(([name, contract]) =>
    reached.connect(name, contractAt(contract, options, revision), { ...worker, apiVersion }),
  );
  return simulatedBook({
    business: (caseId) => businessOf(options.businesses, caseId),
    providers,
    payloadKeys,
    revision,
    happen: notes.happen,
    decided: (caseId, made) => void notes.decisionsOf(caseId).push(made),
    askModel: (caseId, asked) => askModel(world, worker, { ...asked, caseId }),
    refresh: (facts) => record.read(facts),
  });
}

/** It says something else each time. */
async function askModel(
  world: World,
  worker: WorkerState,
  { caseId, revision, version }: { caseId: string; revision: number; version: number },
): Promise<Advice> {
  const { clock, notes, nowMs, options } = world;
  notes.advices.push({ worker: worker.id, caseId, atMs: nowMs(), revision, version });
  await clock.sleep(modelMs);
  if (options.modelFails?.() === true) {
    notes.happen("the model failed");
    throw new TransientFault("the model did not answer");
  }
  return { revision, version, n: notes.advices.length };
}

/** Reads may lag; checkpoints are watched, and it is noted when each batch was sent first. */
function casesOf({ cases, notes, nowMs }: World, worker: WorkerState): CaseStore {
  const seen = () => (worker.lagVersions === 0 ? cases : cases.reader(worker));
  return {
    ...cases,
    read: (key) => seen().read(key),
    head: (key) => seen().head(key),
    write(batch) {
      const { id } = batch.log;
      notes.firstSentMs.set(id, notes.firstSentMs.get(id) ?? nowMs());
      return cases.write(batch);
    },
    async readCheckpoint(key, id) {
      const note = (revision?: number) =>
        notes.checkpoints.push({
          worker: worker.id,
          atMs: nowMs(),
          id,
          ...(revision === undefined ? {} : { revision }),
        });
      try {
        const found = await cases.readCheckpoint(key, id);
        note(found?.workflow.revision);
        if (found?.workflow.revision === worker.revision) notes.happen("a checkpoint was used");
        return found;
      } catch (error) {
        note();
        throw error;
      }
    },
  };
}

function logOf({ notes }: World, worker: WorkerState): Log {
  return {
    info(message, fields) {
      if (message !== "case advanced" || fields["result"] !== "handedOn") return;
      const turn = notes.turns.findLast((one) => one.worker === worker.id);
      if (turn !== undefined) turn.handedOn = true;
    },
    warn(message, fields) {
      const heard = heardIn(message, fields["reason"]);
      if (heard !== undefined) notes.happen(heard);
      if (message !== "postponed") return;
      notes.lostWorkers.add(worker.id);
      const turn = notes.turns.findLast((one) => one.worker === worker.id);
      if (turn !== undefined) turn.failed = true;
    },
    error(message) {
      if (message.includes("checkpoint")) notes.happen("a checkpoint was lost");
    },
  };
}

function watchedGrants({ grants, notes, nowMs }: World, worker: WorkerState): GrantStore {
  return {
    candidates: (wanted) => grants.candidates(wanted),
    async read(tenant, grantId) {
      notes.gateReads.push({ atMs: nowMs(), worker: worker.id, grantId });
      const grant = await grants.read(tenant, grantId);
      if (grant?.limits["amount"] !== undefined) notes.happen("the gate read a limit");
      return grant;
    },
  };
}

function watchedPacing({ notes, nowMs }: World, worker: WorkerState): Pacing | undefined {
  const { instance, pacing } = worker;
  if (pacing === undefined) return undefined;
  return {
    admit(provider) {
      const running = notes.admissions.some(
        (one) =>
          one.instance === instance && one.provider === provider && one.untilMs === undefined,
      );
      const admission = pacing.admit(provider);
      if (admission.kind === "later") {
        notes.happen(running ? "all places were taken" : "a breaker was open");
        return admission;
      }
      const admitted: (typeof notes.admissions)[number] = {
        instance,
        worker: worker.id,
        provider,
        fromMs: nowMs(),
      };
      notes.admissions.push(admitted);
      return {
        kind: "go",
        done(answer) {
          admitted.untilMs = nowMs();
          if (answer !== undefined) admitted.heard = answer.kind;
          admission.done(answer);
        },
      };
    },
  };
}
