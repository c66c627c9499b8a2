// A world for a team's own workflow: memory stores, a virtual clock, and stand-ins under the team's own contracts. Events come in
// through the same reading as webhooks, turns are the real ones, and what a stand-in has applied is the end state.
//
//   const world = teamWorld({ workflow, actions, providers: [testProvider(theRealOne)] });
//   await world.tell("refund.requested", { ... });     one event; refused: throws with the fields
//   await world.run();                                 until nothing is left to do, hours pass in a moment
//   payments.applied, world.record(), world.effects(), world.reviews(), world.approvals()
//   payments.script = ["appliedAndDropped"]            what it does with the next calls (world.ts)
//   await world.dieAt("send", "after")                 a worker killed there; `run` goes on with another
import { bookOf } from "../../shared/domain/book-of.ts";
import { digestOf } from "../../shared/domain/canonical-json.ts";
import type { Action, Provider, Workflow } from "../../shared/domain/definitions.ts";
import { caseIdOf } from "../../shared/domain/identity.ts";
import type { Grant } from "../../shared/domain/records/grant.ts";
import { newEvent } from "../../shared/flow/intake/new-event.ts";
import { readEvent } from "../../shared/flow/intake/read-event.ts";
import { answerApproval } from "../../shared/flow/operate/approvals/answer-approval.ts";
import { mortal, newWorld, turnUntilDeath } from "../flow/world.ts";

export interface Team {
  workflow: Workflow;
  actions: readonly Action[];
  providers: readonly Provider[];
  /** Absent: every action of the workflow, on any target. */
  grants?: readonly Granted[];
}
type Granted = Pick<Grant, "action"> & Partial<Grant>;

const tenantId = "acme";
const source = "acme-shop";
const silent = { info: () => {}, warn: () => {}, error: () => {} };

export function teamWorld(team: Team) {
  const world = newWorld();
  let { workflow } = team;
  let book = bookFor(team);
  let told = 0;
  let key = { tenantId, caseId: "" };
  const worker = () => world.worker({ book });
  const snapshot = async () => (await world.cases.read(key)).snapshot;

  function bookFor({ actions, providers, workflow: current }: Team) {
    const { payloadKeys } = world.book;
    return bookOf({ workflows: [current], actions, providers, payloadKeys });
  }

  /** Another one for the same action takes its place. */
  function grant(given: Granted): void {
    const id = `grant:team:${given.action}`;
    const subject = workflow.type;
    const usual = { target: "*", limits: {}, grantedBy: "test", grantedAtMs: 0 };
    world.grants.put({
      id,
      type: "grant",
      schemaVersion: 1,
      tenantId,
      subject,
      ...usual,
      ...given,
    });
  }
  for (const given of team.grants ?? (workflow.actions ?? []).map((action) => ({ action }))) {
    grant(given);
  }

  return {
    advance: world.advance,
    grant,
    run: (forMs?: number) => world.run(worker(), forMs),
    dieAt: (boundary: string, when: "before" | "after", visit = 1) =>
      turnUntilDeath(world, mortal({ worker: world.worker }, { boundary, when, visit }, { book })),
    /** Other code for the same cases, as a deploy brings it. */
    deploy(next: Team): void {
      ({ workflow } = next);
      book = bookFor(next);
    },
    /** A sender's event; `minutes` after noon at the sender: an earlier one is older. */
    async tell(type: string, data: object, at: { minutes?: number; id?: string } = {}) {
      told += 1;
      const { id: eventId = `evt-${told}`, minutes = told } = at;
      const timestamp = new Date(Date.UTC(2026, 10, 29, 12, minutes)).toISOString();
      const sent = { type, timestamp, data };
      const read = readEvent(workflow, Buffer.from(JSON.stringify(sent)));
      if (read.kind === "broken") throw new Error(`refused: ${JSON.stringify(read.errors)}`);
      const { kind: _event, ...event } = read;
      const caseId = caseIdOf(new Uint8Array(32), tenantId, event.externalRef);
      key = { tenantId, caseId };
      const receivedAtMs = world.nowMs();
      const of = { source, eventId, workflow: workflow.type, digest: digestOf(sent), receivedAtMs };
      await world.cases.createEvent(newEvent({ ...key, ...event, ...of }));
      await world.hints.send("cases", { ...key, hintId: `${eventId}-${told}`, reason: "event" });
    },
    async record() {
      const { case: record } = await snapshot();
      if (record === undefined) throw new Error("no case was opened; tell an event, then run");
      return record;
    },
    effects: async () => (await snapshot()).effects,
    reviews: async () => (await snapshot()).reviews,
    approvals: async () => (await snapshot()).approvals,
    /** Answers the open question, as the person of that name. */
    async answer(decision: "approve" | "refuse", by = "ana") {
      const open = (await snapshot()).approvals.find(({ answer }) => answer === undefined);
      const ports = { ...world, book, log: silent, random: () => `answer-${told}` };
      const principal = { id: by, isPerson: true, roleClaims: ["approver"] };
      const approvalId = open?.id ?? "none is open";
      const answerId = `${by}-${approvalId}`;
      return answerApproval(ports, { key, approvalId, decision, answerId, principal });
    },
  };
}
