// Where the reader is: #/{tenant}/{section}/{part}/{part}. In the fragment, so that the server knows one page only, and a link
// can be sent to a colleague.
import { signal } from "@preact/signals";

export const sections = [
  "reviews",
  "approvals",
  "cases",
  "dead-letters",
  "reports",
  "grants",
  "overview",
  "records",
] as const;
export type Section = (typeof sections)[number];

export interface Place {
  /** Empty: none is chosen yet. */
  tenantId: string;
  section: Section;
  rest: readonly string[];
}

export const place = signal<Place>(placeOf(location.hash));

addEventListener("hashchange", () => {
  place.value = placeOf(location.hash);
});

function placeOf(hash: string): Place {
  const [tenantId = "", section, ...rest] = hash.replace(/^#\/?/, "").split("/").map(decoded);
  const known = sections.find((one) => one === section);
  return { tenantId, section: known ?? "reviews", rest: known === undefined ? [] : rest };
}

/** A link that somebody has cut off is shown as it is. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export function linkTo(section: Section, ...rest: readonly string[]): string {
  return linkIn(place.value.tenantId, section, ...rest);
}

export function linkIn(tenantId: string, section: Section, ...rest: readonly string[]): string {
  return `#/${[tenantId, section, ...rest].map(encodeURIComponent).join("/")}`;
}

export function goTo(link: string): void {
  location.hash = link;
}
