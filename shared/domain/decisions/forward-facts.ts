// The facts of an older revision, as this code's revision has them (design.md 9). Pure.
//
// One typed step (an upcaster) a revision, then the current schema. Asked for on a fold and before a decide; it writes nothing
// itself, and a frozen plan is finished on the facts that it was decided on. If a step throws, or the facts do not fit, the
// case is held under a review that names the fields and no value. Nothing is lost.
import { z } from "zod";
import { digestOf } from "../canonical-json.ts";
import type { Facts, Workflow } from "../definitions.ts";
import { TerminalFault } from "../faults.ts";
import { fieldsOf } from "../fields-of.ts";
import type { Case } from "../records/case.ts";

export type Forwarded =
  | { kind: "fits"; facts: Facts; digest: string }
  /** They do not fit this code's schema; an event may mend them. */
  | { kind: "broken"; why: string; facts: Facts }
  /** A step threw, or they are too large: there are no facts for this code. */
  | { kind: "refused"; why: string };

export function forwardFacts(record: Case, workflow: Workflow): Forwarded {
  const { revision } = record.workflow;
  // Facts of this very revision fitted when they were folded, so its schema has changed without a new revision.
  const way =
    revision === workflow.revision && hasFacts(record)
      ? `facts of revision ${revision} no longer fit its schema (raise the revision, and give it an upcaster),`
      : `facts of revision ${revision} do not fit revision ${workflow.revision}`;
  try {
    const facts = hasFacts(record) ? stepped(record.facts, revision, workflow) : record.facts;
    const parsed = workflow.facts.safeParse(facts);
    if (!parsed.success) {
      return { kind: "broken", why: `${way} in: ${factFieldsOf(parsed.error)}`, facts };
    }
    if (revision === workflow.revision) return { kind: "fits", facts, digest: record.factsDigest };
    const tooLarge = whyTooLarge(parsed.data);
    if (tooLarge !== undefined) return { kind: "refused", why: `${way} in: ${tooLarge}` };
    return { kind: "fits", facts: parsed.data, digest: digestOf(parsed.data, "facts") };
  } catch (error) {
    // A defect of the team's own step or schema holds its case. It must not kill the worker that asks.
    return { kind: "refused", why: `${way}: a step ${whyThrown(error)}` };
  }
}

/** The case document must keep room for all else that it records, above all for outcomes (cases.md 40). */
const factsBytesMax = 512 * 1024;

export function whyTooLarge(facts: Facts): string | undefined {
  const isTooLarge = Buffer.byteLength(JSON.stringify(facts)) > factsBytesMax;
  return isTooLarge ? `facts (more than ${factsBytesMax} bytes)` : undefined;
}

/** A case whose first event has not been folded has none. */
export function hasFacts(record: Case): boolean {
  return Object.keys(record.facts).length > 0;
}

function stepped(before: Facts, from: number, workflow: Workflow): Facts {
  let facts = before;
  for (let revision = from + 1; revision <= workflow.revision; revision += 1) {
    facts = workflow.upcasters?.[revision]?.(facts) ?? facts;
  }
  return facts;
}

/** What a team's code threw, without any value: of an unknown error only its name is told, because its message may hold one. */
export function whyThrown(error: unknown): string {
  if (error instanceof z.ZodError) return `refuses ${factFieldsOf(error)}`;
  if (error instanceof TerminalFault) return `fails: ${error.message}`;
  return `threw ${error instanceof Error ? error.name : typeof error}`;
}

export function factFieldsOf({ issues }: z.ZodError): string {
  return fieldsOf(issues, "the facts as a whole");
}
