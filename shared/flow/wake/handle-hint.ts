// One message of a queue, from parse to settled: what both queue functions do.
//
// A throw would bring the same message back at once, ten times in seconds. So an outage (the store or the broker does not answer)
// is no throw: a new hint is scheduled with a growing back-off, and this message is done. Outages use up no delivery counts.
// Only if that hint cannot be sent either is the message given back.
// Beside the body only the delivery count is read, and all that it can do is to make the turn count a crash.
import { backOffMs } from "../../domain/decisions/back-off.ts";
import { TransientFault } from "../../domain/faults.ts";
import { hintIdOf } from "../../domain/identity.ts";
import { advanceCase } from "../turn/advance-case.ts";
import { parseHint, type ParsedHint } from "./parse-hint.ts";
import type { TurnPorts } from "../turn/turn.ts";

export interface HandleOptions {
  queue: "cases" | "reviews";
  /** As the host tells it; all that matters is whether it is more than one. */
  deliveryCount: unknown;
  /** This worker's own clock; used only to say when to look again. */
  wallClockMs: number;
  random(): string;
  /** The host's own trace context of this message. */
  traceparent?: string | undefined;
}

export async function handleHint(
  ports: TurnPorts,
  message: unknown,
  options: HandleOptions,
): Promise<void> {
  const hint = parseHint(message);
  const { caseKey, reason, traceparent } = hint;
  const { queue } = options;
  // The turn continues the sender's trace, and links to the host's own.
  const from = traceparent ?? options.traceparent;
  const span = { from, beside: options.traceparent, fields: { caseKey } };
  await ports.telemetry.span("turn", span, async () => {
    ports.telemetry.note({ queue, reason });
    await advance(ports, hint, options);
  });
}

async function advance(ports: TurnPorts, hint: ParsedHint, options: HandleOptions): Promise<void> {
  const { telemetry } = ports;
  const redelivered = Number(options.deliveryCount) > 1;
  try {
    const result = await advanceCase(ports, hint.key, { redelivered });
    const { caseKey, reason } = hint;
    ports.log.info("case advanced", { caseKey, result: result.kind, reason });
    telemetry.note({ result: result.kind });
    telemetry.count("countersign.turns", { result: result.kind });
    // A hint that was scheduled for a due time is no duplicate, even if it finds nothing to do.
    const foundNothing = result.kind === "idle" && !telemetry.hasWritten();
    if (foundNothing && reason !== "due") {
      telemetry.count("countersign.duplicates.absorbed", { place: "hint" });
    }
  } catch (error) {
    const isOutage = error instanceof TransientFault;
    telemetry.count("countersign.turns", { result: isOutage ? "postponed" : "failed" });
    if (!isOutage) throw error;
    await postpone(ports, hint, { ...options, fault: error });
  }
}

async function postpone(
  ports: TurnPorts,
  hint: ParsedHint,
  options: HandleOptions & { fault: TransientFault },
): Promise<void> {
  const { fault, queue, random, wallClockMs } = options;
  const { caseKey, key } = hint;
  const tries = (hint.tries ?? 0) + 1;
  const waitMs = backOffMs(caseKey, tries + 1);
  ports.log.warn("postponed", { caseKey, tries, waitMs, why: fault.message });
  const hintId = hintIdOf(key, "postponed", random());
  const again = { ...key, hintId, reason: "postponed", tries };
  try {
    await ports.hints.schedule(queue, again, wallClockMs + waitMs);
  } catch {
    throw fault;
  }
}
