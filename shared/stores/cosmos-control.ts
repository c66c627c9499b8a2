// The one control document of a deployment: container `control`, key /id (design.md 3, 9).
//
// Every turn asks for the drain flag, so it may be two seconds old. The fingerprint of the case-id key is written
// once, by whichever instance starts first, and never changed: an app with another key must refuse to start.
import type { Container } from "@azure/cosmos";
import { z } from "zod";
import { TransientFault } from "../domain/faults.ts";
import { refusalOf } from "./cosmos/answers.ts";
import { readDocument } from "./cosmos/read-document.ts";
import { withinBudget } from "./cosmos/source.ts";
import type { Control, ControlStore } from "./ports.ts";

const maxAgeMs = 2000;
const pinAttemptsMax = 5;
const id = "control";

export const ControlDocument = z.object({
  id: z.literal(id),
  draining: z.boolean().default(false),
  caseIdKeyFingerprint: z.string().optional(),
});
export type ControlDocument = z.infer<typeof ControlDocument>;

/** `clockMs` only has to move on evenly: it ages the cache. */
export function cosmosControl(
  container: Container,
  options: { clockMs: () => number },
): ControlStore {
  const { clockMs } = options;
  let cached: { readAtMs: number; control: Control } | undefined;

  async function readNow() {
    const read = await readDocument({ container }, id, { partitionKey: [id], ids: {} });
    const document = read.document === undefined ? undefined : ControlDocument.parse(read.document);
    return { ...read, document };
  }

  return {
    async read() {
      const ageMs = cached === undefined ? maxAgeMs : clockMs() - cached.readAtMs;
      if (cached !== undefined && ageMs < maxAgeMs) return aged(cached.control, ageMs);
      // Taken before the read, so that the answer is never younger than it is said to be.
      const readAtMs = clockMs();
      const { document, storeMs } = await readNow();
      const control: Control = {
        draining: document?.draining ?? false,
        caseIdKeyFingerprint: document?.caseIdKeyFingerprint,
        storeMs,
      };
      cached = { readAtMs, control };
      return control;
    },

    async pinCaseIdKey(fingerprint) {
      for (let attempt = 0; attempt < pinAttemptsMax; attempt += 1) {
        const { document, etag } = await readNow();
        if (document?.caseIdKeyFingerprint !== undefined) return document.caseIdKeyFingerprint;
        await writeFingerprint(container, { document, etag, fingerprint });
      }
      throw new TransientFault("The case-id key's fingerprint could not be written to `control`.");
    },
  };
}

/** The store's time then, and what has passed since on the clock that ages the cache. */
function aged(control: Control, ageMs: number): Control {
  return {
    ...control,
    storeMs: control.storeMs === undefined ? undefined : control.storeMs + Math.floor(ageMs),
  };
}

/** Whether it landed, or another's did, the next read tells. */
async function writeFingerprint(
  container: Container,
  change: { document: ControlDocument | undefined; etag: string | undefined; fingerprint: string },
): Promise<void> {
  const { document, etag, fingerprint } = change;
  const pinned = { draining: false, ...document, id, caseIdKeyFingerprint: fingerprint };
  try {
    if (etag === undefined) {
      await container.items.create(pinned, withinBudget({ container }));
    } else {
      const accessCondition = { type: "IfMatch", condition: etag };
      await container
        .item(id, id)
        .replace(pinned, { ...withinBudget({ container }), accessCondition });
    }
  } catch (error) {
    const refusal = refusalOf(error, {});
    if (refusal !== undefined) throw refusal;
  }
}
