// The control document in memory: a test sets the drain flag and it is seen at once.
import type { Drain } from "../../shared/domain/records/drain.ts";
import type { ControlRegister } from "../../shared/stores/ports.ts";

export interface MemoryControl extends ControlRegister {
  draining: boolean;
}

export function memoryControl(options: { nowMs: () => number }): MemoryControl {
  let caseIdKeyFingerprint: string | undefined;
  let drain: Drain | undefined;
  const storeMs = () => Math.floor(options.nowMs() / 1000) * 1000;
  const store: MemoryControl = {
    draining: false,
    read: async () => ({
      draining: store.draining,
      caseIdKeyFingerprint,
      storeMs: storeMs(),
    }),
    readDrain: async () => ({ draining: store.draining, drain, storeMs: storeMs() }),
    async startDrain(asked) {
      if (store.draining) return "startedBefore";
      store.draining = true;
      drain = { ...asked, sinceMs: storeMs() };
      return "started";
    },
    async stopDrain() {
      if (!store.draining) return "stoppedBefore";
      store.draining = false;
      drain = undefined;
      return "stopped";
    },
    async pinCaseIdKey(fingerprint) {
      caseIdKeyFingerprint ??= fingerprint;
      return caseIdKeyFingerprint;
    },
  };
  return store;
}
