// Whether two texts are the same to whoever reads them: a system on the way may compose their letters otherwise (Unicode calls such
// texts canonically equivalent, and a process may not tell them apart). Digests still do: what was frozen is its own bytes.

export function isSameText(one: string, other: unknown): boolean {
  return typeof other === "string" && one.normalize("NFC") === other.normalize("NFC");
}

/** An address is the same in whatever case mail systems write it. */
export function isSameTarget(one: string, other: string): boolean {
  return isSameText(one, other) || (one.includes("@") && isSameText(lower(one), lower(other)));
}

const lower = (text: string): string => text.toLowerCase();
