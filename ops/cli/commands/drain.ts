// ops drain: stop new decisions and claims for a deploy, see the calls end, and let the work go on.
import { setTimeout as delay } from "node:timers/promises";
import type { Command } from "commander";
import { z } from "zod";
import { exitCodes, Failure } from "../exit-codes.ts";
import { teach } from "../lesson.ts";
import { read, wholeNumber, type Opens, type Session } from "../session.ts";
import { facts, time } from "../show.ts";
import {
  decisionIdOf,
  decisionIdOption,
  dryRunOption,
  reasonOption,
  send,
  type WriteOptions,
} from "../write.ts";

const State = z.looseObject({
  draining: z.boolean(),
  drain: z
    .looseObject({
      by: z.string(),
      byName: z.string().optional(),
      reason: z.string(),
      sinceMs: z.int(),
    })
    .optional(),
  inFlight: z.looseObject({
    count: z.int(),
    isMore: z.boolean(),
    oldest: z.looseObject({ action: z.string(), startedAtMs: z.int() }).optional(),
    lastDeadlineMs: z.int().optional(),
  }),
  isQuiet: z.boolean(),
  says: z.string(),
});
type State = z.output<typeof State>;

interface WaitOptions {
  wait?: boolean;
  timeout: number;
}

const pollMs = 1000;
const timeoutSeconds = 600;

export function addDrain(program: Command, open: Opens): void {
  const drain = program
    .command("drain")
    .description("stop new decisions and claims for a deploy, and go on after it");
  addStart(drain, open);

  waiting(
    drain
      .command("status")
      .description("whether a drain is on, by whom, and which calls are under way")
      .action(async (options: WaitOptions, command: Command) => {
        const session = open(command);
        const state = read(State, await session.api.get("drain"));
        await showState(session, state, options);
      }),
  );
  teach(drain.commands.at(-1) ?? drain, { example: "drain status --wait" });

  teach(
    drain
      .command("stop")
      .description("let the work go on: what was put off is looked at within half a minute")
      .addOption(reasonOption)
      .addOption(decisionIdOption)
      .addOption(dryRunOption)
      .action(async (options: WriteOptions & { decisionId?: string }, command: Command) => {
        const session = open(command);
        const answer = await send(session, options, {
          path: "drain/stop",
          body: { reason: options.reason, decisionId: decisionIdOf(options) },
          consequence:
            "Workers decide and claim again; what was put off is looked at within half a minute.",
          isDangerous: false,
        });
        if (answer !== undefined) session.show(answer, () => inWords(read(State, answer)));
      }),
    {
      example: 'drain stop --reason "deploy 1.4 is over"',
      never: "stop a drain that somebody else began before you have asked why.",
    },
  );
}

function addStart(drain: Command, open: Opens): void {
  const start = drain
    .command("start")
    .description("nothing new is decided or claimed; calls end, webhooks are taken")
    .addOption(reasonOption)
    .addOption(decisionIdOption)
    .addOption(dryRunOption)
    .action(
      async (options: WriteOptions & WaitOptions & { decisionId?: string }, command: Command) => {
        const session = open(command);
        const answer = await send(session, options, {
          path: "drain/start",
          body: { reason: options.reason, decisionId: decisionIdOf(options) },
          consequence:
            "No worker decides or claims any more within seconds; calls that are under way end. Nothing is lost, and `drain stop` takes it back.",
          isDangerous: false,
        });
        if (answer !== undefined) await showState(session, read(State, answer), options);
      },
    );
  teach(waiting(start), {
    example: 'drain start --reason "deploy 1.4" --wait',
    never: "leave it on: cases stand still until `drain stop`.",
  });
}

function waiting(command: Command): Command {
  return command
    .option("--wait", "until every worker has seen it and no call is under way")
    .option("--timeout <seconds>", "how long to wait", wholeNumber, timeoutSeconds);
}

async function showState(session: Session, state: State, options: WaitOptions): Promise<void> {
  const last = options.wait === true ? await untilQuiet(session, state, options.timeout) : state;
  session.show(last, () => inWords(last));
  if (options.wait === true && !last.isQuiet) {
    const what = last.draining
      ? "calls are still under way; the drain stays on. Wait again with `drain status --wait`."
      : "no drain is on.";
    throw new Failure(exitCodes.refused, what);
  }
}

async function untilQuiet(session: Session, first: State, timeout: number): Promise<State> {
  const { api, terminal } = session;
  const endMs = performance.now() + timeout * 1000;
  let state = first;
  let said = "";
  while (state.draining && !state.isQuiet && performance.now() < endMs) {
    const now = `${state.says} Under way: ${state.inFlight.count}.`;
    if (now !== said) terminal.err(now);
    said = now;
    try {
      await delay(pollMs, undefined, { signal: terminal.signal });
    } catch (error) {
      if (!terminal.signal.aborted) throw error;
      const what = "interrupted; the drain stays on until `drain stop`.";
      throw new Failure(exitCodes.interrupted, what);
    }
    state = read(State, await api.get("drain"));
  }
  return state;
}

function inWords({ drain, inFlight, says }: State): string {
  const { count, isMore, lastDeadlineMs, oldest } = inFlight;
  return facts([
    ["drain", says],
    ["by", drain && (drain.byName ?? drain.by)],
    ["reason", drain?.reason],
    ["since", time(drain?.sinceMs)],
    ["calls under way", `${count}${isMore ? " and more" : ""}`],
    ["the oldest", oldest && `${oldest.action}, since ${time(oldest.startedAtMs)}`],
    ["all over by", time(lastDeadlineMs)],
  ]);
}
