// What a safety mutant is: one rule of the app taken away, and the auditor's rule that must speak.
import type { RuleName } from "../../audit/auditor.ts";

export interface Patch {
  file: string;
  find: string;
  replace: string;
}

export interface SafetyMutant {
  /** The rule that is gone. */
  without: string;
  patches: readonly Patch[];
  /** Any of these, and no other sign, counts as seen. */
  seenBy: readonly RuleName[];
}

export const one = (file: string, find: string, replace: string): readonly Patch[] => [
  { file, find, replace },
];
