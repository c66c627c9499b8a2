// The control document in memory: a test sets the drain flag and it is seen at once.
import type { ControlStore } from "../../shared/stores/ports.ts";

export interface MemoryControl extends ControlStore {
  draining: boolean;
}

export function memoryControl(options: { nowMs: () => number }): MemoryControl {
  let caseIdKeyFingerprint: string | undefined;
  const store: MemoryControl = {
    draining: false,
    read: async () => ({
      draining: store.draining,
      caseIdKeyFingerprint,
      storeMs: Math.floor(options.nowMs() / 1000) * 1000,
    }),
    async pinCaseIdKey(fingerprint) {
      caseIdKeyFingerprint ??= fingerprint;
      return caseIdKeyFingerprint;
    },
  };
  return store;
}
