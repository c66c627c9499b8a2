// HubSpot CRM, v3 objects: create and update of records that carry our operation id as a property.
//
// https://developers.hubspot.com/docs/api-reference/2026-03/crm/search-the-crm promises: records can be found by a property.
// New or changed ones appear in the results only after a while (integrators report it). A property may be
// defined as unique, and a record then be read by it (`idProperty`).
//
// A batch endpoint answers 207 for what it took in part: an effect is one record, so those are not called.
//
// Not relied on, because not promised: any key, how many moments they are (the settle time is our own guess), and that a
// read by `idProperty` sees every earlier write, or that nothing is applied after a time-out: so even that read is
// no proof of absence, and both are contracts of a search. 409 on a unique property proves that some record has
// it; whether it is ours is told by the look-up alone.
import type { Contract } from "../../domain/contract.ts";

export const hubspotCrm: Contract = {
  revision: 1,
  lookup: { by: "search", consistency: "eventual", settleMs: 5 * 60_000 },
  horizonMs: 600_000,
  callTimeoutMs: 30_000,
  consequence:
    "A repeated create is a second record; a repeated update undoes what others did since.",
};
