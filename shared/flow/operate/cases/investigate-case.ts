// A person asks for a case to be looked at (again): an event like any other, so that asking twice is one (design.md 7).
//
// A schedule's runs go the same way (wake/run-schedules.ts).
import { digestOf } from "../../../domain/canonical-json.ts";
import { type CaseKey, hintIdOf } from "../../../domain/identity.ts";
import { investigateSource } from "../../../domain/event-type.ts";
import type { CaseStore, HintQueue } from "../../../stores/ports.ts";
import { newEvent } from "../../intake/new-event.ts";
import type { Principal } from "../access/principal.ts";

export interface InvestigatePorts {
  cases: CaseStore;
  hints: HintQueue;
  random(): string;
  nowMs(): number;
}

export type InvestigateResult =
  | { kind: "recorded"; eventId: string; duplicate: boolean }
  | { kind: "missing" }
  | { kind: "unavailable" };

export async function investigateCase(
  ports: InvestigatePorts,
  request: { key: CaseKey; requestId?: string | undefined; principal: Principal },
): Promise<InvestigateResult> {
  const { key, principal } = request;
  const { snapshot } = await ports.cases.read(key);
  // Newer code wrote it: its own instances take the wish.
  if (snapshot.newerSchema) return { kind: "unavailable" };
  if (snapshot.case === undefined) return { kind: "missing" };
  const { externalRef, version, workflow } = snapshot.case;
  // Without an id of the client's own, one click and the next on the same version are one wish.
  const eventId = request.requestId ?? `v${version}`;
  const receivedAtMs = ports.nowMs();
  const body = { type: "case.investigate", data: { requestId: eventId } };
  const created = await ports.cases.createEvent(
    newEvent({
      ...key,
      source: investigateSource,
      eventId,
      eventType: body.type,
      workflow: workflow.type,
      externalRef,
      requestedBy: principal.id,
      body,
      digest: digestOf(body),
      orderKey: new Date(receivedAtMs).toISOString(),
      receivedAtMs,
    }),
  );
  if (created === "uncertain") return { kind: "unavailable" };
  const hintId = hintIdOf(key, "investigate", ports.random());
  // The event is durable and due: a lost hint loses nothing.
  await ports.hints.send("cases", { ...key, hintId, reason: "investigate" }).catch(() => {});
  return { kind: "recorded", eventId, duplicate: created === "exists" };
}
