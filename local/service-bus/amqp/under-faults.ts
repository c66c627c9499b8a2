// Runs one operation of a client: the fault plan may cut in, otherwise do it, wait for the disk,
// answer. Every answer that a client may rely on goes through here, so this file is where "answered
// means committed" is kept.

import type { Connection } from "rhea";

import type { Broker } from "../broker/broker.ts";
import type { Refusal } from "../broker/message.ts";
import { refusals } from "../broker/message.ts";
import type { Queue } from "../broker/queue.ts";
import { holdOf, loseSession } from "../broker/sessions.ts";
import type { FaultSubject } from "../control/fault-plan.ts";
import { cutConnection, userAgentOf } from "./rhea-internals.ts";

export type Operation<Result> = {
  /** Undefined for operations no fault can be planned for. */
  subject: FaultSubject | undefined;
  queue: Queue;
  connection: Connection;
  apply: () => Result | Refusal;
  answer: (result: Result | Refusal) => void;
  /** What to do instead of `apply` under the two faults that lie about the outcome. */
  pretend?: Partial<Record<"discard" | "redeliverCompleted", () => Result | Refusal>>;
};

export function underFaults<Result>(broker: Broker, operation: Operation<Result>): void {
  const { connection, queue, subject } = operation;
  const fault =
    subject === undefined ? undefined : broker.faults.draw(subject, userAgentOf(connection));
  switch (fault?.fault) {
    case undefined:
      finish(broker, operation, operation.apply);
      return;
    case "dropBefore":
      cutConnection(connection);
      return;
    case "dropAfterCommit":
      operation.apply();
      broker.store.afterCommit(() => cutConnection(connection));
      return;
    case "delay":
      broker.clock.alarm(broker.clock.nowMs() + (fault?.delayMs ?? 0), () => {
        finish(broker, operation, operation.apply);
      });
      return;
    case "loseSessionLock": {
      const held = holdOf(queue, subject?.sessionId ?? "");
      if (held !== undefined) loseSession(queue, held);
      operation.answer(refusals.sessionLockLost);
      return;
    }
    case "serverBusy":
      operation.answer(refusals.serverBusy);
      return;
    case "discard":
    case "redeliverCompleted":
      finish(broker, operation, operation.pretend?.[fault.fault] ?? operation.apply);
      return;
  }
}

function finish<Result>(
  broker: Broker,
  operation: Operation<Result>,
  apply: () => Result | Refusal,
): void {
  const result = apply();
  broker.store.afterCommit(() => operation.answer(result));
}

export function isRefusal(result: unknown): result is Refusal {
  return typeof result === "object" && result !== null && "condition" in result;
}
