// Whether two texts are the same to a reader: canonically equivalent in Unicode, because a system on the way may compose letters
// differently. Digests still tell them apart: a frozen payload is its own bytes.

export function isSameText(one: string, other: unknown): boolean {
  return typeof other === "string" && one.normalize("NFC") === other.normalize("NFC");
}

/** Two mail addresses are the same in upper and lower case. */
export function isSameTarget(one: string, other: string): boolean {
  return isSameText(one, other) || (one.includes("@") && isSameText(lower(one), lower(other)));
}

const lower = (text: string): string => text.toLowerCase();
