// The Service Bus trigger for one life of an instance, through the real SDK on a connection of its own.
//
//   sessions: N loops (maxConcurrentSessions) of accept the next session, receive one message at a time, invoke,
//             settle; a session is given back after sessionIdleTimeout without a message
//   success = complete; a throw = abandon, at once; a dead worker = nothing is settled and the socket is cut, so
//   that the broker sees what it sees when a machine is gone.
// A session's lock is renewed for maxAutoLockRenewalDuration after it was accepted; a longer handler loses it.
import {
  type ServiceBusReceivedMessage,
  type ServiceBusReceiver,
  type ServiceBusSessionReceiver,
  ServiceBusClient,
} from "@azure/service-bus";
import { setTimeout as delay } from "node:timers/promises";
import type { HostLog } from "../events.ts";
import type { Life, Listener } from "../instance.ts";
import type { Invocations } from "../invocations.ts";
import { neededText, optionText } from "../settings/binding-text.ts";
import type { HostedFunction } from "../settings/functions.ts";
import type { ServiceBusOptions } from "../settings/host-json.ts";
import { cutConnection } from "./cut-connection.ts";
import { batchCall, messageCall } from "./service-bus-message.ts";

export type ServiceBusListenerOptions = {
  life: Life;
  hosted: HostedFunction;
  connectionString: string;
  options: ServiceBusOptions;
  invocations: Invocations;
  log: HostLog;
};

const ERROR_PAUSE_MIN_MS = 250;
const ERROR_PAUSE_MAX_MS = 10_000;

type Source = { queueOrTopic: string; subscription: string | undefined };

export function sourceOf({ trigger }: HostedFunction): Source {
  const queueName = optionText(trigger, "queueName");
  if (queueName !== undefined) return { queueOrTopic: queueName, subscription: undefined };
  return {
    queueOrTopic: neededText(trigger, "topicName"),
    subscription: neededText(trigger, "subscriptionName"),
  };
}

function errorCode(error: unknown): string {
  if (typeof error !== "object" || error === null || !("code" in error)) return "";
  return String(error.code);
}

/** No session was free within the time-out: the ordinary end of a wait. */
function isNoSession(error: unknown): boolean {
  return ["ServiceTimeout", "SessionCannotBeLocked", "OperationTimeoutError"].includes(
    errorCode(error),
  );
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export function listenToServiceBus(given: ServiceBusListenerOptions): Listener {
  const { life, hosted, options, invocations, log } = given;
  const about = { functionName: hosted.name };
  const category = `Host.Triggers.ServiceBus`;
  const source = sourceOf(hosted);
  const isBatch = hosted.trigger["cardinality"] === "many";
  const completes = hosted.trigger["autoCompleteMessages"] ?? options.autoCompleteMessages;
  const client = new ServiceBusClient(given.connectionString, {
    retryOptions: { maxRetries: 2, retryDelayInMs: 200, timeoutInMs: 60_000 },
  });
  const stopping = new AbortController();
  const serving = new Set<Promise<void>>();

  function warn(text: string, error: unknown): void {
    if (!stopping.signal.aborted) log("warning", category, `${text}: ${describe(error)}`, about);
  }

  /** Invokes and settles; false when the receiver can no longer be trusted with the next message. */
  async function handle(
    receiver: ServiceBusReceiver,
    messages: ServiceBusReceivedMessage[],
  ): Promise<boolean> {
    const [first] = messages;
    if (first === undefined) return true;
    const call = isBatch ? batchCall(hosted, messages) : messageCall(hosted, first);
    const outcome = await invocations.once(life, hosted, call);
    if (outcome.kind === "workerLost" || outcome.kind === "timedOut") return false;
    const settle = (message: ServiceBusReceivedMessage) => {
      if (outcome.kind === "failed") return receiver.abandonMessage(message);
      return completes === true ? receiver.completeMessage(message) : Promise.resolve();
    };
    try {
      await Promise.all(messages.map(settle));
      return true;
    } catch (error) {
      warn("A message could not be settled, so it will come again", error);
      return false;
    }
  }

  /** Keeps count of what a drain has to wait for. */
  async function serve(work: Promise<void>): Promise<void> {
    serving.add(work);
    try {
      await work;
    } finally {
      serving.delete(work);
    }
  }

  async function serveMessages(receiver: ServiceBusReceiver, waitMs: number): Promise<void> {
    const count = isBatch ? options.maxMessageBatchSize : 1;
    while (!stopping.signal.aborted) {
      const messages = await receiver.receiveMessages(count, {
        maxWaitTimeInMs: waitMs,
        abortSignal: stopping.signal,
      });
      if (messages.length === 0) return;
      let usable = true;
      await serve(handle(receiver, messages).then((answer) => void (usable = answer)));
      if (!usable) return;
    }
  }

  function acceptNextSession(): Promise<ServiceBusSessionReceiver> {
    const accept = {
      maxAutoLockRenewalDurationInMs: options.maxAutoLockRenewalDuration,
      abortSignal: stopping.signal,
      skipParsingBodyAsJson: true,
    };
    return source.subscription === undefined
      ? client.acceptNextSession(source.queueOrTopic, accept)
      : client.acceptNextSession(source.queueOrTopic, source.subscription, accept);
  }

  async function sessionLoop(): Promise<void> {
    let pauseMs = ERROR_PAUSE_MIN_MS;
    while (!stopping.signal.aborted) {
      let receiver: ServiceBusSessionReceiver | undefined;
      try {
        receiver = await acceptNextSession();
        pauseMs = ERROR_PAUSE_MIN_MS;
        await serveMessages(receiver, options.sessionIdleTimeout);
      } catch (error) {
        if (stopping.signal.aborted) return;
        if (isNoSession(error)) continue;
        if (errorCode(error) === "SessionLockLost") continue;
        warn(`Listening to "${source.queueOrTopic}" failed`, error);
        await delay(pauseMs, undefined, { signal: stopping.signal, ref: false }).catch(() => {});
        pauseMs = Math.min(pauseMs * 2, ERROR_PAUSE_MAX_MS);
      } finally {
        if (!stopping.signal.aborted) await receiver?.close().catch(() => {});
      }
    }
  }

  function createReceiver(): ServiceBusReceiver {
    const receive = {
      maxAutoLockRenewalDurationInMs: options.maxAutoLockRenewalDuration,
      skipParsingBodyAsJson: true,
    };
    return source.subscription === undefined
      ? client.createReceiver(source.queueOrTopic, receive)
      : client.createReceiver(source.queueOrTopic, source.subscription, receive);
  }

  async function batchLoop(): Promise<void> {
    while (!stopping.signal.aborted) {
      const receiver = createReceiver();
      try {
        await serveMessages(receiver, 60_000);
      } catch (error) {
        warn(`Listening to "${source.queueOrTopic}" failed`, error);
        const pause = delay(1000, undefined, { signal: stopping.signal, ref: false });
        await pause.catch(() => {});
      } finally {
        if (!stopping.signal.aborted) await receiver.close().catch(() => {});
      }
    }
  }

  /** The SDK's own pump: it renews each message's lock and reconnects by itself. */
  function pump(): () => Promise<void> {
    const receiver = createReceiver();
    const subscription = receiver.subscribe(
      {
        processMessage: (message) => serve(handle(receiver, [message]).then(() => {})),
        processError: async ({ error }) =>
          warn(`Listening to "${source.queueOrTopic}" failed`, error),
      },
      { autoCompleteMessages: false, maxConcurrentCalls: options.maxConcurrentCalls },
    );
    return () => subscription.close();
  }

  const withSessions = hosted.trigger["isSessionsEnabled"] === true;
  let stopPump: (() => Promise<void>) | undefined;
  if (withSessions) {
    const loops = isBatch ? 1 : options.maxConcurrentSessions;
    for (let loop = 0; loop < loops; loop += 1) void sessionLoop();
  } else if (isBatch) void batchLoop();
  else stopPump = pump();

  return {
    drain: async () => {
      stopping.abort();
      await stopPump?.();
      await Promise.all(serving);
      await client.close();
    },
    drop: () => {
      stopping.abort();
      cutConnection(client);
    },
  };
}
