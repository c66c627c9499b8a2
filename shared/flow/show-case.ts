// One case as JSON: the record, its effects, its reviews and its history, for a person or a script.
import type { CaseKey } from "../domain/identity.ts";
import type { CaseStore } from "../stores/ports.ts";

export interface CaseView {
  case: Readonly<Record<string, unknown>>;
  effects: readonly Readonly<Record<string, unknown>>[];
  events: readonly Readonly<Record<string, unknown>>[];
  findings: readonly Readonly<Record<string, unknown>>[];
  reviews: readonly Readonly<Record<string, unknown>>[];
  log: readonly Readonly<Record<string, unknown>>[];
  /** Present when newer code wrote some of its documents: they are not shown here. */
  incomplete?: true;
}

/** Undefined when nothing was ever recorded under this key. */
export async function showCase(
  ports: { cases: CaseStore },
  key: CaseKey,
): Promise<CaseView | undefined> {
  const history = await ports.cases.history(key);
  if (history === undefined) return undefined;
  const { snapshot, log } = history;
  const externalRef = snapshot.events[0]?.externalRef ?? "";
  return {
    // An event may be recorded before any turn has made the case document.
    case: snapshot.case ?? { ...key, externalRef, status: "recorded", version: 0 },
    effects: snapshot.effects,
    events: snapshot.events,
    findings: snapshot.findings,
    reviews: snapshot.reviews,
    log,
    ...(snapshot.newerSchema ? { incomplete: true } : {}),
  };
}
