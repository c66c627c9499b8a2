// A refusal outlives its form: when somebody else was faster, the form goes away with the next look, and who it was must still
// be read. It stays until the reader goes elsewhere.
import { signal } from "@preact/signals";
import type { Problem } from "../api/shapes.ts";
import { place, type Place } from "../place.ts";
import { ProblemNote } from "./problem-note.tsx";

export interface Refused {
  problem: Problem;
  /** Where it was told; elsewhere it says nothing. */
  at: Place;
}

const kept = signal<Refused | undefined>(undefined);

export function outlive(refused: Refused | undefined): void {
  if (refused !== undefined) kept.value = refused;
}

export function Refusal() {
  if (kept.value === undefined || kept.value.at !== place.value) return null;
  return <ProblemNote problem={kept.value.problem} />;
}
