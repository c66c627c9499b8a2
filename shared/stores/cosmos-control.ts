// The one control document of a deployment: container `control`, key /id (design.md 3, 9).
//
// Every turn asks for the drain flag, again before each decision and claim, so it may be two seconds old: one read in two
// seconds a worker, whatever it does and however many ask at once. The fingerprint of the case-id key is written once, by
// whichever instance starts first, and never changed: an app with another key must refuse to start.
import type { Container } from "@azure/cosmos";
import { z } from "zod";
import { TransientFault } from "../domain/faults.ts";
import { Drain } from "../domain/records/drain.ts";
import { refusalOf } from "./cosmos/answers.ts";
import { readDocument } from "./cosmos/read-document.ts";
import { withinBudget } from "./cosmos/source.ts";
import type { Control, ControlRegister } from "./ports.ts";

const maxAgeMs = 2000;
const writeAttemptsMax = 5;
const id = "control";

export const ControlDocument = z.object({
  id: z.literal(id),
  draining: z.boolean().default(false),
  drain: Drain.optional(),
  caseIdKeyFingerprint: z.string().optional(),
});
export type ControlDocument = z.infer<typeof ControlDocument>;

/** `clockMs` only has to move on evenly: it ages the cache. */
export function cosmosControl(
  container: Container,
  options: { clockMs: () => number },
): ControlRegister {
  const { clockMs } = options;
  // Begun then, so that the answer is never younger than it is said to be.
  let cached: { readAtMs: number; control: Promise<Control> } | undefined;

  function begin(): Promise<Control> {
    const reading = { readAtMs: clockMs(), control: readControl(container) };
    cached = reading;
    reading.control.catch(() => {
      if (cached === reading) cached = undefined;
    });
    return reading.control;
  }

  return {
    async read() {
      if (cached === undefined || clockMs() - cached.readAtMs >= maxAgeMs) return begin();
      const { readAtMs, control } = cached;
      return aged(await control, clockMs() - readAtMs);
    },

    async pinCaseIdKey(fingerprint) {
      const { document } = await change(container, (known) =>
        known?.caseIdKeyFingerprint === undefined
          ? { draining: false, ...known, id, caseIdKeyFingerprint: fingerprint }
          : undefined,
      );
      return document.caseIdKeyFingerprint ?? fingerprint;
    },

    async readDrain() {
      const { document, storeMs } = await readNow(container);
      return { draining: document?.draining ?? false, drain: document?.drain, storeMs };
    },

    async startDrain(asked) {
      const { changed } = await change(container, (known, storeMs) =>
        known?.draining === true
          ? undefined
          : { ...known, id, draining: true, drain: { ...asked, sinceMs: storeMs } },
      );
      cached = undefined;
      return changed ? "started" : "startedBefore";
    },

    async stopDrain() {
      const { changed } = await change(container, (known) => {
        if (known?.draining !== true) return undefined;
        const { drain: _over, ...rest } = known;
        return { ...rest, draining: false };
      });
      cached = undefined;
      return changed ? "stopped" : "stoppedBefore";
    },
  };
}

async function readControl(container: Container): Promise<Control> {
  const { document, storeMs } = await readNow(container);
  return {
    draining: document?.draining ?? false,
    caseIdKeyFingerprint: document?.caseIdKeyFingerprint,
    storeMs,
  };
}

async function readNow(container: Container) {
  const read = await readDocument({ container }, id, { partitionKey: [id], ids: {} });
  const document = read.document === undefined ? undefined : ControlDocument.parse(read.document);
  return { ...read, document };
}

/** Writes until a read shows that nothing is left to change; that read is what stands. */
async function change(
  container: Container,
  wanted: (known: ControlDocument | undefined, storeMs: number) => ControlDocument | undefined,
): Promise<{ document: ControlDocument; changed: boolean }> {
  for (let attempt = 0; attempt <= writeAttemptsMax; attempt += 1) {
    const { document, etag, storeMs } = await readNow(container);
    if (storeMs === undefined) throw new TransientFault("The store told no time.");
    const next = wanted(document, storeMs);
    if (next === undefined) {
      return { document: document ?? { id, draining: false }, changed: attempt > 0 };
    }
    await write(container, { document: next, etag });
  }
  throw new TransientFault("The one document of `control` could not be written.");
}

/** The store's time then, and what has passed since on the clock that ages the cache. */
function aged(control: Control, ageMs: number): Control {
  return {
    ...control,
    storeMs: control.storeMs === undefined ? undefined : control.storeMs + Math.floor(ageMs),
  };
}

/** Whether it landed, or another's did, the next read tells. */
async function write(
  container: Container,
  change: { etag: string | undefined; document: ControlDocument },
): Promise<void> {
  const { document, etag } = change;
  try {
    if (etag === undefined) {
      await container.items.create({ ...document }, withinBudget({ container }));
    } else {
      const accessCondition = { type: "IfMatch", condition: etag };
      await container
        .item(id, id)
        .replace({ ...document }, { ...withinBudget({ container }), accessCondition });
    }
  } catch (error) {
    const refusal = refusalOf(error, {});
    if (refusal !== undefined) throw refusal;
  }
}
