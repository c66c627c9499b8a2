// Whether this worker is alive, and whether it can work: settings valid, store and broker answering within two seconds.
//
// Anybody may ask, so an answer names no host, no setting and no reason: the doctor tells those to whoever is signed in. A probe
// that fails takes an instance out of the balancer, not out of its queues: only HTTP is routed by it.
import { TerminalFault } from "../domain/faults.ts";
import type { Log } from "./turn/turn.ts";
import type { DeadLetterStore } from "../stores/dead-letter-port.ts";
import type { ControlRegister } from "../stores/ports.ts";
import { inTime } from "./in-time.ts";

export interface HealthPorts {
  control: Pick<ControlRegister, "readDrain">;
  deadLetters: Pick<DeadLetterStore, "peek">;
}

export type Check = "ok" | "failed";
export interface Readiness {
  status: "ready" | "notReady";
  checks: { settings: Check; store: Check; broker: Check };
}

const probeMs = 2000;

export async function readiness(running: () => Promise<HealthPorts>, log: Log): Promise<Readiness> {
  const endMs = performance.now() + probeMs;
  const within = <Value>(act: Promise<Value>) => inTime(act, endMs - performance.now());
  const started = await within(running().then(ok, startFault));
  if (started === undefined || started.kind === "fault") {
    const settings: Check = started?.refused === undefined ? "ok" : "failed";
    if (settings === "failed") log.error("the app cannot start", { why: started?.refused });
    return { status: "notReady", checks: { settings, store: "failed", broker: "failed" } };
  }
  const { control, deadLetters } = started.value;
  // The smallest thing of each that goes to the other side and back, whatever links and caches there are.
  const [store, broker] = await Promise.all([
    within(control.readDrain().then(ok, () => undefined)),
    within(deadLetters.peek("cases", { max: 1 }).then(ok, () => undefined)),
  ]);
  const checks = { settings: "ok", store: said(store), broker: said(broker) } as const;
  const isReady = store !== undefined && broker !== undefined;
  return { status: isReady ? "ready" : "notReady", checks };
}

export function healthAnswer(body: Readiness | { status: "live" }) {
  return {
    status: body.status === "notReady" ? 503 : 200,
    headers: { "content-type": "application/json", "cache-control": "no-store" },
    body: JSON.stringify(body),
  };
}

function ok<Value>(value: Value) {
  return { kind: "ok", value } as const;
}

/** A start reads settings first, and then the account. */
function startFault(error: unknown) {
  const refused = error instanceof TerminalFault ? error.message : undefined;
  return { kind: "fault", refused } as const;
}

function said(answer: object | undefined): Check {
  return answer === undefined ? "failed" : "ok";
}
