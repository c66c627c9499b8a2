// What a system that promises to tell of its deliveries tells of one: whether it reached its goal, and when.
import type { Receipt } from "../../shared/domain/records/evidence.ts";

export const deliveryFaults = [
  "silent",
  "bounced",
  "deliveredThenBounced",
  "bouncedThenDelivered",
  "beforeItsAnswer",
  "afterTheSilence",
] as const;
export type DeliveryFault = (typeof deliveryFaults)[number];

/** A webhook of the system, so long after it took what it was asked for. */
export interface Telling {
  afterMs: number;
  stage: Receipt["stage"];
}

const usualMs = 3000;
/** Longer than any contract here waits for a report of delivery. */
const longMs = 500_000;

export function tellingsOf(fault: DeliveryFault | undefined): readonly Telling[] {
  switch (fault) {
    case undefined:
      return [{ afterMs: usualMs, stage: "delivered" }];
    case "silent":
      return [];
    case "bounced":
      return [{ afterMs: usualMs, stage: "failed" }];
    case "deliveredThenBounced":
      return [
        { afterMs: usualMs, stage: "delivered" },
        { afterMs: longMs, stage: "failed" },
      ];
    case "bouncedThenDelivered":
      return [
        { afterMs: usualMs, stage: "failed" },
        { afterMs: 2 * usualMs, stage: "delivered" },
      ];
    case "beforeItsAnswer":
      return [{ afterMs: 1, stage: "delivered" }];
    case "afterTheSilence":
      return [{ afterMs: longMs, stage: "delivered" }];
  }
}
