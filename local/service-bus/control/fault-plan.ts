// Faults that a test or a simulation asks for, matched against what clients do. The plan only
// decides; `amqp/under-faults.ts` carries out. With a seed, the same calls in the same order
// meet the same faults.

/** `connect` is a client opening a connection; only `dropBefore` strikes it. */
export type FaultOperation = "connect" | "send" | "schedule" | "receive" | "complete" | "renew";

export type FaultKind =
  /** The connection is cut; nothing was done. */
  | "dropBefore"
  /** The connection is cut after the work is on disk; the client cannot know. */
  | "dropAfterCommit"
  | "delay"
  /** The session's lock is lost, and with it the operation. */
  | "loseSessionLock"
  /** Completing is answered as done, yet the message comes again: at least once, taken literally. */
  | "redeliverCompleted"
  | "serverBusy"
  /** A send is accepted and never stored. Azure does not do this; a lost hint looks like it. */
  | "discard";

export type Fault = {
  /** What is left out matches everything, save that connecting must be meant: by name, or by a user agent alone. */
  match?: {
    queue?: string;
    sessionId?: string;
    operation?: FaultOperation;
    /** A part of the client's user agent: the local host puts `worker-N` there. */
    userAgentContains?: string;
  };
  fault: FaultKind;
  /** How often it strikes before it is used up; without it, for ever. */
  times?: number;
  /** From 0 to 1; without it, always. */
  probability?: number;
  seed?: number;
  delayMs?: number;
};

export type PlannedFault = Fault & { id: number; remaining: number | null; fired: number };

export type FaultSubject = {
  queue: string;
  sessionId: string | undefined;
  operation: FaultOperation;
};

export type FaultPlan = {
  add(faults: Fault[]): PlannedFault[];
  list(): PlannedFault[];
  clear(): void;
  /** The fault that strikes this operation, if any; the first that matches and is drawn. */
  draw(subject: FaultSubject, userAgent: string): Fault | undefined;
};

export function faultPlan(): FaultPlan {
  let planned: (PlannedFault & { random: () => number })[] = [];
  let lastId = 0;

  function draw(subject: FaultSubject, userAgent: string): Fault | undefined {
    for (const fault of planned) {
      if (fault.remaining === 0 || !matches(fault, subject, userAgent)) continue;
      if (fault.probability !== undefined && fault.random() >= fault.probability) continue;
      fault.fired += 1;
      if (fault.remaining !== null) fault.remaining -= 1;
      return fault;
    }
    return undefined;
  }

  return {
    add(faults) {
      const added = faults.map((fault) => {
        lastId += 1;
        const remaining = fault.times ?? null;
        return { ...fault, id: lastId, remaining, fired: 0, random: seeded(fault.seed ?? lastId) };
      });
      planned = [...planned, ...added];
      return added.map(visible);
    },
    list: () => planned.map(visible),
    clear() {
      planned = [];
    },
    draw,
  };
}

function visible(fault: PlannedFault & { random?: () => number }): PlannedFault {
  const copy = { ...fault };
  delete copy.random;
  return copy;
}

function matches({ fault, match = {} }: Fault, subject: FaultSubject, userAgent: string): boolean {
  const { userAgentContains } = match;
  if (userAgentContains !== undefined && !userAgent.includes(userAgentContains)) return false;
  if (subject.operation === "connect") {
    const { operation, queue, sessionId } = match;
    const isCutOff = operation === undefined && queue === undefined && sessionId === undefined;
    const isMeant = operation === "connect" || (isCutOff && userAgentContains !== undefined);
    return fault === "dropBefore" && isMeant;
  }
  return (
    (match.queue === undefined || match.queue.toLowerCase() === subject.queue.toLowerCase()) &&
    (match.sessionId === undefined || match.sessionId === subject.sessionId) &&
    (match.operation === undefined || match.operation === subject.operation)
  );
}

/** mulberry32: small, fast and the same on every machine. */
function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
