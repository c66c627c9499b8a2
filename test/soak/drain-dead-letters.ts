// Drains a dead-letter queue of any size through the operators' API and the real SDK, and kills the drain on its way, again and
// again, at random steps: after a receive, after a send, after a completion. In the end each letter must have been sent at
// least once, the dead-letter queue must be empty, and there are no more copies than letters and kills.
import {
  deskOf,
  hintMessage,
  openDeadLetterWorld,
  wholeRun,
} from "../flow/operate/dead-letter-world.ts";
import { newWorld } from "../flow/world.ts";
import { newCaseKey } from "../stores/documents.ts";
import { makeDeadLetters } from "../../local/service-bus/make-dead-letters.ts";
import { serviceBusDeadLetters } from "../../shared/stores/service-bus-dead-letters.ts";
import type { DeadLetterStore } from "../../shared/stores/dead-letter-port.ts";
import { diceOf } from "../simulation/dice.ts";

export interface Drained {
  letters: number;
  seed: number;
  kills: number;
  runs: number;
  /** Letters that nobody will see again: none may be. */
  lost: number;
  /** Sent twice, because a worker died between send and completion: at most the kills. */
  copiedTwice: number;
  left: number;
  /** Of the whole process, which holds the broker too; grows with the broker's queue, not with the drain. */
  heapPeakMegabytes: number;
}

const sessionSize = 200;
class Killed extends Error {}

export async function drainDeadLetters(options: {
  letters: number;
  kills: number;
  seed: number;
  onProgress?: (moved: number) => void;
}): Promise<Drained> {
  const { letters, seed } = options;
  const dice = diceOf(seed);
  const bus = await openDeadLetterWorld();
  try {
    const by = { deadLetterReason: "Broken", deadLetterErrorDescription: "for the soak" };
    for (let made = 0; made < letters; made += sessionSize) {
      const key = { ...newCaseKey(), tenantId: "acme" };
      const count = Math.min(sessionSize, letters - made);
      const messages = Array.from({ length: count }, () => hintMessage(key));
      await makeDeadLetters(bus.client, "cases", { messages, by });
    }
    let kills = 0;
    let runs = 0;
    let left = letters;
    let heapPeak = 0;
    // A letter is two steps: the kills are spread over all of them.
    const stepsMax = Math.ceil((2 * letters) / Math.max(1, options.kills));
    while (left > 0) {
      runs += 1;
      const isMortal = kills < options.kills;
      const client = bus.connect();
      const store = serviceBusDeadLetters(client);
      const after = isMortal ? dice.between(1, stepsMax) : Infinity;
      const desk = deskOf(newWorld(), isMortal ? mortal(store, after) : store);
      try {
        const { answers } = await wholeRun(async (cursor) => {
          const said = await desk.resubmit({ max: 500, ...(cursor ? { cursor } : {}) });
          heapPeak = Math.max(heapPeak, process.memoryUsage().heapUsed);
          options.onProgress?.(letters - Number(said.body["left"] ?? left));
          return said;
        });
        left = answers.at(-1)?.left ?? 0;
      } catch (error) {
        if (!(error instanceof Killed)) throw error;
        kills += 1;
      }
      await client.close();
    }
    const copies = await bus.waiting();
    const originals = copies.map((copy) => copy.applicationProperties?.["countersign-original-id"]);
    const [queue] = await bus.control.queues();
    return {
      letters,
      seed,
      kills,
      runs,
      lost: letters - new Set(originals).size,
      copiedTwice: copies.length - new Set(originals).size,
      left: queue?.deadLetter ?? Number.NaN,
      heapPeakMegabytes: Math.round(heapPeak / 1_000_000),
    };
  } finally {
    await bus.close();
  }
}

/** A worker that dies at its n-th step, and gives nothing back. */
function mortal(store: DeadLetterStore, dieAt: number): DeadLetterStore {
  let steps = 0;
  async function step<Result>(done: Promise<Result>): Promise<Result> {
    const result = await done;
    steps += 1;
    if (steps >= dieAt) throw new Killed(`killed at step ${steps}`);
    return result;
  }
  return {
    peek: store.peek,
    open(queue) {
      const open = store.open(queue);
      return {
        receive: (max, waitMs) => step(open.receive(max, waitMs)),
        send: (letter, copy) => step(open.send(letter, copy)),
        complete: (letter) => step(open.complete(letter)),
        close: async () => {},
      };
    },
  };
}
