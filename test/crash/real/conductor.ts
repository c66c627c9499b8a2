// Knows where every worker stands, because each asks before it passes a boundary; and strikes there.
//
//   a worker asks -> noted -> (its turn to be struck: killed, never answered | frozen, thawed, answered) -> answered
//
// What it notes is testimony of when, never of what the provider or the store has done: those have journals of their own.
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Decision, SendRequest } from "../../../shared/domain/definitions.ts";
import { wireBoundary, type Told, type TurnTerms } from "./told.ts";

/** What happens at one visit: "gone" when nobody is left to be answered. */
export type Strike = (pid: number) => Promise<"goOn" | "gone">;

/** One case under trial. */
export interface Trial {
  caseId: string;
  terms: TurnTerms;
  /** Asked at each visit of a boundary, with how often the case has been there. */
  strikeAt(boundary: string, visit: number): Strike | undefined;
}

export interface Notes {
  visited: string[];
  sendings: { pid: number; atMs: number; request: SendRequest }[];
  /** Behind the gate, before the socket. */
  passed: { atMs: number; worker: string }[];
  gateReads: { atMs: number; worker: string; grantId: string }[];
  decisions: { version: number; decision: Decision }[];
  asked: number[];
  answered: { worker: string; operationId: string; atMs: number }[];
  lostWorkers: Set<string>;
  defects: string[];
}

export interface Conductor {
  url: string;
  /** From now on; what was noted before is forgotten. */
  begin(trial: Trial): Notes;
  /** The wire has an answer for this worker's call in its hands. */
  atWire(pid: number): Promise<"goOn" | "gone">;
  /** Workers that have said hello and have not ended. */
  isReady(pid: number): boolean;
  ended(pid: number): void;
  /** True while a living worker has a turn of the case in hand. */
  isBusy(): boolean;
  close(): Promise<void>;
}

export async function openConductor(): Promise<Conductor> {
  let trial: Trial | undefined;
  let notes = emptyNotes();
  let visits = new Map<string, number>();
  const ready = new Set<number>();
  const turns = new Map<number, number>();

  async function visit(pid: number, boundary: string): Promise<"goOn" | "gone"> {
    const n = (visits.get(boundary) ?? 0) + 1;
    visits.set(boundary, n);
    notes.visited.push(boundary);
    if (boundary === "send") notes.passed.push({ atMs: Date.now(), worker: String(pid) });
    return (await trial?.strikeAt(boundary, n)?.(pid)) ?? "goOn";
  }

  async function hear(told: Told): Promise<object | undefined> {
    if (told.kind === "hello") ready.add(told.pid);
    if (told.kind === "hello" || told.caseId !== trial?.caseId) return { turnBudgetMs: 90_000 };
    const { pid } = told;
    if (told.kind === "turnStarted") turns.set(pid, (turns.get(pid) ?? 0) + 1);
    if (told.kind === "turnEnded") turns.set(pid, (turns.get(pid) ?? 0) - 1);
    if (told.kind === "at") return (await visit(pid, told.boundary)) === "gone" ? undefined : {};
    note(notes, told);
    return told.kind === "turnStarted" ? trial.terms : {};
  }

  async function reply(told: Told, response: ServerResponse): Promise<void> {
    const answer = await hear(told);
    if (answer !== undefined) response.end(JSON.stringify(answer));
  }

  const server = createServer((request, response) => {
    let text = "";
    request.on("data", (bytes: Buffer) => void (text += bytes.toString()));
    request.on("end", () => void reply(JSON.parse(text) as Told, response));
    response.on("error", () => {});
  });
  // A connection that is closed under a worker's question would be a fault that nobody planned.
  server.keepAliveTimeout = 600_000;
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    begin(next) {
      trial = next;
      notes = emptyNotes();
      visits = new Map();
      turns.clear();
      return notes;
    },
    atWire: (pid) => visit(pid, wireBoundary),
    isReady: (pid) => ready.has(pid),
    ended(pid) {
      ready.delete(pid);
      turns.delete(pid);
    },
    // What a worker has said may be heard when it is dead.
    isBusy: () => [...turns].some(([pid, open]) => open > 0 && ready.has(pid)),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function emptyNotes(): Notes {
  return {
    visited: [],
    sendings: [],
    passed: [],
    gateReads: [],
    decisions: [],
    asked: [],
    answered: [],
    lostWorkers: new Set(),
    defects: [],
  };
}

function note(notes: Notes, told: Exclude<Told, { kind: "hello" }>): void {
  const atMs = Date.now();
  const worker = String(told.pid);
  switch (told.kind) {
    case "gateRead":
      notes.gateReads.push({ atMs, worker, grantId: told.grantId });
      return;
    case "asked":
      notes.asked.push(told.version);
      return;
    case "decided":
      notes.decisions.push({ version: told.version, decision: told.decision });
      return;
    case "sending":
      notes.sendings.push({ pid: told.pid, atMs, request: told.request });
      return;
    case "receipt":
      notes.answered.push({ worker, operationId: told.operationId, atMs });
      return;
    case "lost":
      notes.lostWorkers.add(worker);
      return;
    case "defect":
      notes.defects.push(told.text);
      return;
    case "at":
    case "turnStarted":
    case "turnEnded":
  }
}
