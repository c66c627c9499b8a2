// The Service Bus trigger for one life of an instance, through the real SDK on a connection of its own.
//
//   sessions: N loops (maxConcurrentSessions) of accept the next session, receive one message at a time, invoke,
//             settle; a session is given back after sessionIdleTimeout without a message
//   success = complete; a throw = abandon, at once; a dead worker = nothing is settled and the socket is cut, so
//   that the broker sees what it sees when a machine is gone.
//   a lost connection = what was in hand comes again; every loop goes on over a new one
// A session's lock is renewed for maxAutoLockRenewalDuration after it was accepted; a longer handler loses it.
import type {
  ServiceBusReceivedMessage,
  ServiceBusReceiver,
  ServiceBusSessionReceiver,
} from "@azure/service-bus";
import { setTimeout as delay } from "node:timers/promises";
import type { HostLog } from "../../events.ts";
import { instanceName, type Life, type Listener } from "../../instance.ts";
import type { Invocations } from "../../invocations.ts";
import type { HostedFunction } from "../../settings/functions.ts";
import type { ServiceBusOptions } from "../../settings/host-json.ts";
import { batchCall, messageCall } from "./message.ts";
import { type Loss, type MessageSource, messageSource } from "./source.ts";

export type ServiceBusListenerOptions = {
  life: Life;
  hosted: HostedFunction;
  connectionString: string;
  options: ServiceBusOptions;
  invocations: Invocations;
  log: HostLog;
};

type Listening = ServiceBusListenerOptions & {
  /** The one of now: a lost connection is followed by another. */
  source: MessageSource;
  openSource: () => MessageSource;
  isBatch: boolean;
  stopping: AbortController;
  /** Invocations that are not settled yet: what a drain waits for. */
  serving: Set<Promise<unknown>>;
  /** The end of the last settlement's turn. */
  lastTurn: Promise<void>;
};

/** What messages come over. The pump reconnects by itself: nothing is lost to it. */
type Receiving = { receiver: ServiceBusReceiver; lost: Loss | undefined };

const ERROR_PAUSE_MIN_MS = 250;
const ERROR_PAUSE_MAX_MS = 10_000;
const BATCH_WAIT_MS = 60_000;

function errorCode(error: unknown): string {
  if (typeof error !== "object" || error === null || !("code" in error)) return "";
  return String(error.code);
}

/** How an ordinary wait ends: no session was free in time, or the session was lost to its lock. */
const ORDINARY = [
  "ServiceTimeout",
  "SessionCannotBeLocked",
  "OperationTimeoutError",
  "SessionLockLost",
];

function warn({ stopping, log, hosted }: Listening, text: string, error: unknown): void {
  if (stopping.signal.aborted) return;
  const reason = error instanceof Error ? error.message : String(error);
  log("warning", "Host.Triggers.ServiceBus", `${text}: ${reason}`, { functionName: hosted.name });
}

async function pause(listening: Listening, ms: number): Promise<void> {
  const options = { signal: listening.stopping.signal, ref: false };
  await delay(ms, undefined, options).catch(() => {});
}

function sourceOfNow(listening: Listening): MessageSource {
  if (listening.source.lost.hasCome) {
    // What is left of the lost one must not connect again by itself.
    listening.source.cut();
    listening.source = listening.openSource();
  }
  return listening.source;
}

/** The SDK's answer; or an end of waiting for it, when it may never come. */
async function unlessLost<Answer>(
  lost: Loss | undefined,
  answer: Promise<Answer>,
): Promise<Answer> {
  const gone = Promise.withResolvers<never>();
  const end = () => gone.reject(new Error("the connection was lost"));
  if (lost?.hasCome === true) end();
  lost?.waiting.add(end);
  try {
    return await Promise.race([answer, gone.promise]);
  } finally {
    lost?.waiting.delete(end);
  }
}

/**
 * One settlement at a time gets onto the wire. The AMQP library below the SDK (rhea 3.0) joins two dispositions of
 * neighbouring deliveries into one when they are made in the same tick, and gives both the outcome of the
 * first: a message completed beside one that is abandoned would be abandoned too.
 */
async function settlementTurn(listening: Listening): Promise<void> {
  const turn = listening.lastTurn;
  const ended = Promise.withResolvers<void>();
  listening.lastTurn = ended.promise;
  await turn;
  setImmediate(ended.resolve);
}

/** Invokes and settles; false when the receiver can no longer be trusted with the next message. */
async function handle(
  listening: Listening,
  { receiver, lost }: Receiving,
  messages: ServiceBusReceivedMessage[],
): Promise<boolean> {
  const { hosted, life, invocations, isBatch, options } = listening;
  const [first] = messages;
  if (first === undefined) return true;
  const call = isBatch ? batchCall(hosted, messages) : messageCall(hosted, first);
  const outcome = await invocations.once(life, hosted, call);
  if (outcome.kind === "workerLost" || outcome.kind === "timedOut") return false;
  const completes = hosted.trigger["autoCompleteMessages"] ?? options.autoCompleteMessages;
  // A session has a link of its own and one message in hand: nothing to be joined with.
  const isAlone = hosted.trigger["isSessionsEnabled"] === true || isBatch;
  const settle = async (message: ServiceBusReceivedMessage) => {
    if (!isAlone) await settlementTurn(listening);
    if (outcome.kind === "failed") await receiver.abandonMessage(message);
    else if (completes === true) await receiver.completeMessage(message);
  };
  try {
    await unlessLost(lost, Promise.all(messages.map(settle)));
    return true;
  } catch (error) {
    warn(listening, "A message could not be settled, so it will come again", error);
    return false;
  }
}

async function serve(
  listening: Listening,
  receiving: Receiving,
  messages: ServiceBusReceivedMessage[],
): Promise<boolean> {
  const handling = handle(listening, receiving, messages);
  listening.serving.add(handling);
  try {
    return await handling;
  } finally {
    listening.serving.delete(handling);
  }
}

/** Until nothing comes for so long, or the receiver has become useless. */
async function serveReceiver(
  listening: Listening,
  { receiver, lost }: Receiving,
  { waitMs, abortSignal }: { waitMs: number; abortSignal: AbortSignal },
): Promise<void> {
  const { isBatch, options } = listening;
  const count = isBatch ? options.maxMessageBatchSize : 1;
  const wait = { maxWaitTimeInMs: waitMs, abortSignal };
  let isUsable = true;
  while (isUsable && !abortSignal.aborted) {
    const messages = await unlessLost(lost, receiver.receiveMessages(count, wait));
    if (messages.length === 0) return;
    isUsable = await serve(listening, { receiver, lost }, messages);
  }
}

/** One of the loops that compete for sessions, or the only loop of a batch function. */
async function receiveLoop(
  listening: Listening,
  open: (
    source: MessageSource,
    abortSignal: AbortSignal,
  ) => Promise<ServiceBusReceiver | ServiceBusSessionReceiver>,
  waitMs: number,
): Promise<void> {
  const { stopping } = listening;
  let pauseMs = ERROR_PAUSE_MIN_MS;
  // One of its own: adding a listener to a signal takes as long as the signal has listeners, and there are many loops.
  const own = new AbortController();
  stopping.signal.addEventListener("abort", () => own.abort(), { once: true });
  const abortSignal = own.signal;
  while (!stopping.signal.aborted) {
    const source = sourceOfNow(listening);
    const { lost } = source;
    let receiver: ServiceBusReceiver | undefined;
    try {
      receiver = await unlessLost(lost, open(source, abortSignal));
      pauseMs = ERROR_PAUSE_MIN_MS;
      await serveReceiver(listening, { receiver, lost }, { waitMs, abortSignal });
    } catch (error) {
      if (stopping.signal.aborted) return;
      if (ORDINARY.includes(errorCode(error))) continue;
      warn(listening, `Listening to "${source.name}" failed`, error);
      await pause(listening, pauseMs);
      pauseMs = Math.min(pauseMs * 2, ERROR_PAUSE_MAX_MS);
    } finally {
      // A dead instance says no good-bye, and a draining one closes everything at its end.
      if (receiver !== undefined && !stopping.signal.aborted) {
        await unlessLost(lost, receiver.close()).catch(() => {});
      }
    }
  }
}

/** Without sessions: the SDK's own pump, which renews each message's lock and reconnects by itself. */
function pump(listening: Listening): () => Promise<void> {
  const { source, options } = listening;
  const receiver = source.createReceiver();
  const subscription = receiver.subscribe(
    {
      processMessage: async (message) => {
        await serve(listening, { receiver, lost: undefined }, [message]);
      },
      processError: async ({ error }) =>
        warn(listening, `Listening to "${source.name}" failed`, error),
    },
    { autoCompleteMessages: false, maxConcurrentCalls: options.maxConcurrentCalls },
  );
  return () => subscription.close();
}

export function listenToServiceBus(given: ServiceBusListenerOptions): Listener {
  const { hosted, options } = given;
  const userAgent = instanceName(given.life.worker);
  const openSource = () => messageSource(given.connectionString, hosted, options, userAgent);
  const stopping = new AbortController();
  const isBatch = hosted.trigger["cardinality"] === "many";
  const serving = new Set<Promise<unknown>>();
  const lastTurn = Promise.resolve();
  const own = { source: openSource(), openSource, isBatch, stopping, serving, lastTurn };
  const listening: Listening = { ...given, ...own };
  const dropped = Promise.withResolvers<void>();
  let stopPump: (() => Promise<void>) | undefined;
  if (hosted.trigger["isSessionsEnabled"] === true) {
    // A batch function with sessions has one session at a time, whatever host.json says.
    const loops = isBatch ? 1 : options.maxConcurrentSessions;
    const open = (source: MessageSource, signal: AbortSignal) => source.acceptNextSession(signal);
    for (let loop = 0; loop < loops; loop += 1) {
      void receiveLoop(listening, open, options.sessionIdleTimeout);
    }
  } else if (isBatch) {
    void receiveLoop(listening, async (source) => source.createReceiver(), BATCH_WAIT_MS);
  } else stopPump = pump(listening);

  async function drain(): Promise<void> {
    stopping.abort();
    await stopPump?.();
    await Promise.all(serving);
    await listening.source.close();
  }
  return {
    drain: () => Promise.race([drain(), dropped.promise]),
    drop: () => {
      // First the cut: what the SDK closes when it is told to stop would say good-bye, and wait for the answer.
      listening.source.cut();
      stopping.abort();
      dropped.resolve();
    },
  };
}
