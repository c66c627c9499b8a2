// The facts of a run in which everything came as local/samples/expected.json says: what the tests
// of the count start from, and then spoil in one place.
import type { Entry } from "../../../local/providers/faults.ts";
import type { CaseView } from "../../../local/start/run/case-api.ts";
import type { RunFacts } from "../../../local/start/run/count-run.ts";
import type { Intent } from "../../../local/start/run/sample-text.ts";
import { accountOf, loadSamples } from "../../../local/start/run/samples.ts";
import type { Sample } from "../../../local/start/run/samples.ts";
import type { StoreRequest } from "../../../local/start/run/watch.ts";

export interface Facts extends RunFacts {
  posts: { sample: string; deliveryId: string; status: number; body: string }[];
  views: Map<string, CaseView>;
  journal: Entry[];
  requests: StoreRequest[];
  ownReads: { caseId: string; fromMs: number; toMs: number }[];
  kills: { pid: number; signal: string | null }[];
  workerExits: { pid: number; code: number | null; signal: string | null }[];
}

export const caseIdOf = (sample: { name: string }): string => `case-of-${sample.name}`;

type Status = CaseView["effects"][number]["status"];

/** Which effect came to what: in these samples only the last one stays unknown. */
function statusesOf({ effects, intents }: Sample["expected"]): Status[] {
  if (effects.rejected > 0) return ["rejected", "cancelled"];
  return intents.map((_, index) =>
    effects.unknown > 0 && index === intents.length - 1 ? "unknown" : "confirmed",
  );
}

function operationOf(sample: Sample, intent: Intent): string {
  return `op-${sample.name}-${intent.action}`;
}

function viewOf(sample: Sample): CaseView {
  const { status, inReview, intents } = sample.expected;
  const isHeld = status === "held";
  const statuses = statusesOf(sample.expected);
  return {
    case: {
      tenantId: sample.tenantId,
      caseId: caseIdOf(sample),
      externalRef: sample.invoice,
      status: isHeld ? "raised" : status,
      version: 2,
      ...(isHeld ? { held: { reason: "DecisionHeld" } } : {}),
    },
    effects: intents.map((intent, index) => ({
      operationId: operationOf(sample, intent),
      action: intent.action,
      target: intent.target,
      status: statuses[index] ?? "confirmed",
    })),
    reviews: inReview ? [{}] : [{ resolution: { how: "settled" } }],
  };
}

function providerOf(action: Entry["action"]): Entry["provider"] {
  if (action.startsWith("email.")) return "email";
  if (action.startsWith("crm.")) return "crm";
  return action.startsWith("tasks.") ? "task-board" : "supplier-portal";
}

function entriesOf(sample: Sample, intent: Intent): Omit<Entry, "n">[] {
  const sends = typeof intent.sends === "number" ? intent.sends : intent.sends.min;
  const common = {
    atMs: 1,
    provider: providerOf(intent.action),
    account: accountOf(intent.action, sample.tenantId),
    action: intent.action,
    target: intent.target,
    operation: operationOf(sample, intent),
    body: { amount: intent.amount, state: intent.state },
  } as const;
  return Array.from({ length: sends }, (_, index) => {
    const requestId = `${common.operation}-${index}`;
    const received = { ...common, requestId, event: "received" as const };
    const applied = { ...common, requestId, event: "applied" as const };
    return intent.applied === 1 && index === 0 ? [received, applied] : [received];
  }).flat();
}

export function storeRequest(
  sample: { name: string },
  kind: string,
  more: Partial<StoreRequest> = {},
): StoreRequest {
  return {
    n: 1,
    atMs: 1_000,
    kind,
    container: "cases",
    partitionKey: ["tenant", caseIdOf(sample)],
    status: kind === "create" ? 201 : 200,
    ...more,
  };
}

export async function perfectRun(): Promise<Facts> {
  const samples = await loadSamples(1);
  const killed = samples.filter(({ kill }) => kill !== undefined).map((_, index) => 100 + index);
  return {
    samples,
    posts: samples.flatMap((sample) =>
      sample.deliveries.flatMap(({ id, atOnce, laterCopies }) =>
        Array.from({ length: atOnce + (laterCopies?.count ?? 0) }, (_, copy) => ({
          sample: sample.name,
          deliveryId: id,
          status: 202,
          body: JSON.stringify({ duplicate: copy > 0 }),
        })),
      ),
    ),
    views: new Map(samples.map((sample) => [sample.name, viewOf(sample)])),
    journal: samples
      .flatMap((sample) => sample.expected.intents.flatMap((intent) => entriesOf(sample, intent)))
      .map((entry, index) => ({ n: index + 1, ...entry })),
    requests: samples.flatMap((sample) => [
      storeRequest(sample, "create"),
      ...Array.from({ length: viewOf(sample).effects.length + 1 }, () =>
        storeRequest(sample, "batch"),
      ),
    ]),
    ownReads: [],
    kills: killed.map((pid) => ({ pid, signal: "SIGKILL" })),
    workerExits: killed.map((pid) => ({ pid, code: null, signal: "SIGKILL" })),
  };
}
