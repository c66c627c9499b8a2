// A stored document of an older schema, in the shape of today: one pure step a version (design.md 9).
//
// `schemaVersion` is one number for all documents. Raise it, and add a step, with every change that code of the version before
// could not read or would misread: a new value of an enum, a new kind in a union, a required field, another meaning. A new
// optional field needs no step if it may be lost when older code rewrites its document. Fields that queries read by name
// (folded, resolution, dueAtMs, claim, grantHold) keep their names, and a frozen payload keeps its bytes.
//
// A document is upcast when it is read. It is written in the new shape only when it changes for another reason.
export type StoredDocument = Readonly<Record<string, unknown>>;
export type DocumentStep = (document: StoredDocument) => StoredDocument;

/** The first step makes version 2 of version 1, and so on. */
export const documentSteps: readonly DocumentStep[] = [];

export function upcastDocument(
  document: StoredDocument,
  from: number,
  steps: readonly DocumentStep[],
): StoredDocument {
  let current = document;
  for (const [index, step] of steps.entries()) {
    if (index + 1 >= from) current = { ...step(current), schemaVersion: index + 2 };
  }
  return current;
}
