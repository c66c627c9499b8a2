// What the providers did, per business intent, against what was to be done.
//
// An intent is (account, action, target): this credit note for this invoice of this tenant. It is
// counted from the providers' journal alone, by what was applied and by how often they were asked:
// a provider that dedupes for us still shows two sends, and an app that asks nobody shows none.
import type { Entry } from "../../providers/faults.ts";
import type { Intent } from "./sample-text.ts";
import { accountOf } from "./samples.ts";
import type { Sample } from "./samples.ts";

export interface IntentCount {
  appliedTwice: number;
  lost: number;
  reasons: string[];
}

function keyOf(one: { account: string; action: string; target: string }): string {
  return JSON.stringify([one.account, one.action, one.target]);
}

/** "50.00" and "50.0" are one amount; no floats. */
export function sameAmount(a: string, b: string): boolean {
  const plain = (text: string): string =>
    text.includes(".") ? text.replace(/0+$/, "").replace(/\.$/, "") : text;
  return plain(a) === plain(b);
}

function bodyField(entry: Entry, field: string): string {
  const body = entry.body;
  if (typeof body !== "object" || body === null) return "";
  return String(Reflect.get(body, field) ?? "");
}

function withinSends(intent: Intent, sends: number): boolean {
  if (typeof intent.sends === "number") return sends === intent.sends;
  return sends >= intent.sends.min && sends <= intent.sends.max;
}

function sendsText(sends: Intent["sends"]): string {
  return typeof sends === "number" ? String(sends) : `${sends.min} to ${sends.max}`;
}

function wrongWith(intent: Intent, entries: readonly Entry[]): string[] {
  const wrong: string[] = [];
  const applied = entries.filter(({ event }) => event === "applied");
  const sends = new Set(entries.map(({ requestId }) => requestId)).size;
  if (intent.applied === 0 && applied.length > 0) wrong.push("was applied and must not be");
  if (!withinSends(intent, sends)) {
    wrong.push(`was sent ${sends} times instead of ${sendsText(intent.sends)}`);
  }
  for (const entry of applied) {
    const amount = bodyField(entry, "amount");
    if (intent.amount !== undefined && !sameAmount(amount, intent.amount)) {
      wrong.push(`was applied with ${amount} instead of ${intent.amount}`);
    }
    const state = bodyField(entry, "state");
    if (intent.state !== undefined && state !== intent.state) {
      wrong.push(`was applied as ${state} instead of ${intent.state}`);
    }
  }
  return wrong;
}

export function countIntents(
  samples: readonly Sample[],
  journal: readonly Entry[],
  isOfEarlierRun: (target: string) => boolean = () => false,
): IntentCount {
  const entriesOf = new Map<string, Entry[]>();
  for (const entry of journal) {
    if (isOfEarlierRun(entry.target)) continue;
    const key = keyOf(entry);
    entriesOf.set(key, [...(entriesOf.get(key) ?? []), entry]);
  }
  const count: IntentCount = { appliedTwice: 0, lost: 0, reasons: [] };
  for (const [key, entries] of entriesOf) {
    const times = entries.filter(({ event }) => event === "applied").length;
    if (times < 2) continue;
    count.appliedTwice += times - 1;
    count.reasons.push(`${key}: was applied ${times} times`);
  }
  for (const { name, tenantId, expected } of samples) {
    for (const intent of expected.intents) {
      const key = keyOf({ ...intent, account: accountOf(intent.action, tenantId) });
      const entries = entriesOf.get(key) ?? [];
      entriesOf.delete(key);
      const about = `${name}: ${intent.action} for ${intent.target}`;
      if (intent.applied === 1 && !entries.some(({ event }) => event === "applied")) {
        count.lost += 1;
        count.reasons.push(`${about} was never applied`);
      }
      count.reasons.push(...wrongWith(intent, entries).map((wrong) => `${about} ${wrong}`));
    }
  }
  for (const key of entriesOf.keys()) count.reasons.push(`${key}: nobody expected this`);
  return count;
}
