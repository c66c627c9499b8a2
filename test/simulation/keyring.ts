// The keys of sensitive payloads, as a deployment's settings hold them: one is added, put first, all are lost and found again.
//
// A worker knows those that were set when its process began, and no others.
import {
  payloadKeys,
  sealingKeyBytes,
  type PayloadKeys,
  type SealingKey,
} from "../../shared/domain/payload-keys.ts";

const deploymentKey = Buffer.from("the deployment key of the simulation");
const keysMax = 40;

const keyOf = (n: number): SealingKey => ({
  id: `simulated-${n}`,
  bytes: Buffer.alloc(sealingKeyBytes, n),
});

function keysOf(numbers: readonly number[]): PayloadKeys {
  const [newest = 1, ...older] = numbers;
  return payloadKeys({ deploymentKey, sealing: [keyOf(newest), ...older.map(keyOf)] });
}

/** All that any world makes: who judges may read what no worker can. */
export const everyKey = keysOf(Array.from({ length: keysMax }, (_, n) => n + 1));

export function keyring() {
  let made = 1;
  /** The newest first. */
  let held = [1];
  let lost: number[] = [];
  const makeOne = () => (made = Math.min(keysMax, made + 1));
  return {
    now: (): PayloadKeys => keysOf(held),
    ids: (): string[] => held.map((n) => keyOf(n).id),
    add: () => void (held = [...held, makeOne()]),
    putFirst(): void {
      held = held.toSorted((a, b) => b - a);
    },
    lose(isForGood: boolean): void {
      if (!isForGood) lost = [...lost, ...held];
      held = [makeOne()];
    },
    find(): void {
      held = [...held, ...lost.filter((n) => !held.includes(n))];
      lost = [];
    },
  };
}

export type Keyring = ReturnType<typeof keyring>;
