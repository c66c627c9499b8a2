// The journals of one world: what happened, as no worker can rewrite it. The auditor judges by them.
import type { Grant } from "../../shared/domain/records/grant.ts";
import type { CaseTestimony, Landed, Testimony } from "../audit/testimony.ts";
import type { Happening } from "./happenings.ts";

type Entry<Name extends keyof Testimony> = Testimony[Name] extends readonly (infer One)[]
  ? One
  : never;

export function notebook(nowMs: () => number) {
  const happened: Partial<Record<Happening, number>> = {};
  return {
    happened,
    happen: (name: Happening) => void (happened[name] = (happened[name] ?? 0) + 1),
    landedOf: byCase<Landed>(),
    /** By the id of a batch's log entry. */
    firstSentMs: new Map<string, number>(),
    eventsOf: byCase<string>(),
    decisionsOf: byCase<CaseTestimony["decisions"][number]>(),
    grants: [] as Entry<"grants">[],
    gateReads: [] as Entry<"gateReads">[],
    freezes: [] as Entry<"freezes">[],
    statements: [] as Entry<"statements">[],
    answers: [] as Entry<"answers">[],
    recordEdits: [] as Entry<"recordEdits">[],
    admissions: [] as Entry<"admissions">[],
    advices: [] as Entry<"advices">[],
    checkpoints: [] as Entry<"checkpoints">[],
    timers: [] as Entry<"timers">[],
    reports: [] as Entry<"reports">[],
    erasures: [] as Entry<"erasures">[],
    turns: [] as Entry<"turns">[],
    workers: new Map<string, { revision: number; instance: string }>(),
    lostWorkers: new Set<string>(),
    defects: [] as string[],
    granted(grant: Grant): void {
      this.grants.push({ atMs: nowMs(), grant });
    },
  };
}

export type Notebook = ReturnType<typeof notebook>;

function byCase<One>() {
  const lists = new Map<string, One[]>();
  return (caseId: string): One[] => {
    const list = lists.get(caseId) ?? [];
    lists.set(caseId, list);
    return list;
  };
}
