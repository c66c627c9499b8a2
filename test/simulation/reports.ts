// The systems' own webhooks, by the app's own intake: what one of them did, told to whom it may concern.
//
// A system that was called under a key repeats the key; the others repeat the operation and its case. A system that gets no
// 202 comes again, and each third delivery comes twice whatever it got. An index lags: what was applied just now is
// not found by its key.
import { createHash } from "node:crypto";
import type { Receipt } from "../../shared/domain/records/evidence.ts";
import type { Book } from "../../shared/domain/definitions.ts";
import { parseCaseKey } from "../../shared/domain/identity.ts";
import { TransientFault } from "../../shared/domain/faults.ts";
import { recordReport, type ReportRecorded } from "../../shared/flow/intake/record-report.ts";
import { retryReports } from "../../shared/flow/wake/retry-reports.ts";
import type { ReportStore } from "../../shared/stores/ports.ts";
import { silentTelemetry } from "../../shared/telemetry/telemetry.ts";
import { memoryReports } from "../memory/memory-reports.ts";
import { toldOf, type AppliedHere } from "./providers.ts";
import { silentLog, tenantId, type World } from "./world.ts";

const indexLagMs = 40_000;
const againMs = 5000;
const deliveriesMax = 5;

interface Webhook {
  /** Distinguishes one telling of the same from the next. */
  n: number;
  stage: Receipt["stage"];
}

interface Delivery {
  eventId: string;
  stage: Receipt["stage"];
  /** It repeats nothing of what it was asked. */
  bare: boolean;
}

export type Reports = ReturnType<typeof reportsOf>;

export function reportsOf(world: World, book: Book) {
  const { cases, clock, control, hints, notes, nowMs, reached } = world;
  const stored = memoryReports(cases);
  /** When each came, by its own id. */
  const deliveries = new Map<string, number[]>();
  let made = 0;
  const reports: ReportStore = {
    ...stored,
    async effectsByProviderKey(wanted) {
      const { atMs = 0 } =
        reached.applied.find((one) => one.providerKey === wanted.providerKey) ?? {};
      if (nowMs() - atMs >= indexLagMs) return stored.effectsByProviderKey(wanted);
      notes.happen("a report named no effect yet");
      return [];
    },
  };
  const ports = {
    cases,
    reports,
    hints,
    control,
    log: silentLog,
    telemetry: silentTelemetry,
    random: () => `report ${(made += 1)}`,
  };

  async function deliver(
    entry: AppliedHere,
    { bare, eventId, stage }: Delivery,
    nth = 1,
  ): Promise<void> {
    const told = toldOf(entry, stage);
    const data = bare ? { ...told, echoed: {} } : told;
    const content = Buffer.from(JSON.stringify({ type: "done", data }));
    const provider = book.provider(entry.provider);
    if (provider === undefined) throw new Error(`${entry.provider} is not there`);
    const receivedAtMs = nowMs();
    const digest = createHash("sha256").update(content).digest("hex");
    const source = { name: `${entry.provider}-webhook`, tenantId };
    const delivery = { provider, source, eventId, content, digest, receivedAtMs };
    const recorded = await recordReport(ports, delivery);
    const times = deliveries.get(eventId) ?? [];
    deliveries.set(eventId, times);
    times.push(receivedAtMs);
    if (wasHeard(recorded)) {
      const { operationId, providerId } = entry;
      const by = `source:${source.name}`;
      notes.reports.push({ operationId, providerId, stage, by, deliveredAtMs: times });
    }
    const comesAgain = !wasHeard(recorded) || (nth === 1 && made % 3 === 0);
    if (comesAgain && nth < deliveriesMax)
      clock.at(nowMs() + againMs, () => void deliver(entry, { bare, eventId, stage }, nth + 1));
  }

  return {
    /** False: the ledger knows nothing of it. */
    async report(entry: AppliedHere, { n, stage }: Webhook): Promise<boolean> {
      const key = parseCaseKey(entry.caseKey);
      if (key === undefined) return false;
      const { snapshot } = await cases.read(key);
      const effect = snapshot.effects.find(({ operationId }) => operationId === entry.operationId);
      if (effect === undefined) return false;
      if (effect.status === "started") notes.happen("a system reported before its own outcome");
      if (snapshot.case?.status === "done") notes.happen("a report came after the end");
      const bare = [
        ...(effect.foreignIds ?? []),
        ...snapshot.reviews.flatMap(({ providerIds = [] }) => providerIds),
      ].includes(entry.providerId);
      if (bare) notes.happen("what was something else was told in fewer words");
      await deliver(entry, { bare, eventId: `${entry.providerId}-${stage}-${n}`, stage });
      return true;
    },
    /** As each sweep does it. */
    async retry(): Promise<void> {
      try {
        await retryReports(ports, { wallClockMs: nowMs() });
      } catch (error) {
        if (!(error instanceof TransientFault)) throw error;
      }
    },
    async isWaiting(): Promise<boolean> {
      const waiting = await stored.due({ nowMs: Number.MAX_SAFE_INTEGER, max: 1 });
      return waiting.length > 0;
    },
  };
}

function wasHeard({ kind }: ReportRecorded): boolean {
  return kind === "recorded" || kind === "kept";
}
