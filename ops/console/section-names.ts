// The sections as a reader sees them, in the order of the menu.
import type { Section } from "./place.ts";

export const sectionNames: Readonly<Record<Section, string>> = {
  reviews: "Reviews",
  approvals: "Approvals",
  cases: "Cases",
  "dead-letters": "Dead letters",
  reports: "Providers' reports",
  grants: "Grants",
  overview: "Overview and drain",
  records: "What people did",
};
