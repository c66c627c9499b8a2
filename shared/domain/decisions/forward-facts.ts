// The facts of an older revision, as this code's revision has them (design.md 9). Pure.
//
// One typed step a revision, then the current schema. It is asked for on a fold and before a decide, and changes nothing by
// itself: a frozen plan is finished on the facts that it was decided on. A step that throws, or facts that fit no
// schema, are an answer, too: the case is held, by field and without a value, and nothing of it is lost.
import { z } from "zod";
import { digestOf } from "../canonical-json.ts";
import type { Facts, Workflow } from "../definitions.ts";
import { TerminalFault } from "../faults.ts";
import { fieldsOf } from "../fields-of.ts";
import type { Case } from "../records/case.ts";

export type Forwarded =
  | { kind: "fits"; facts: Facts; digest: string }
  /** Brought forward, and still not what this code can use; an event may mend them. */
  | { kind: "broken"; why: string; facts: Facts }
  /** A step threw: there are no facts for this code. */
  | { kind: "refused"; why: string };

export function forwardFacts(record: Case, workflow: Workflow): Forwarded {
  const { revision } = record.workflow;
  // What a fold wrote did fit then.
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
    // A defect of the team's own step or schema: it must hold its case, and never kill the worker that only asks.
    return { kind: "refused", why: `${way}: a step ${whyThrown(error)}` };
  }
}

/** The case document must always have room for what else it records, outcomes first of all (cases.md 40). */
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

/** By field where it is known; another error's message may hold a value. */
export function whyThrown(error: unknown): string {
  if (error instanceof z.ZodError) return `refuses ${factFieldsOf(error)}`;
  if (error instanceof TerminalFault) return `fails: ${error.message}`;
  return `threw ${error instanceof Error ? error.name : typeof error}`;
}

export function factFieldsOf({ issues }: z.ZodError): string {
  return fieldsOf(issues, "the facts as a whole");
}
