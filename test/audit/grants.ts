// What a grant covers, worked out anew: amounts as whole numbers of millionths, never as the app compares them.
import type { Grant } from "../../shared/domain/records/grant.ts";

type Payload = Readonly<Record<string, unknown>>;

const placesMax = 6;

export const isLimited = ({ limits, revoked }: Grant): boolean =>
  revoked === undefined && Object.keys(limits).length > 0;

/** Of amounts and currencies alone; everything else about a grant is for whoever asks. */
export function coversContent({ limits, only = {} }: Grant, payload: Payload): boolean {
  return (
    Object.entries(only).every(([field, text]) => payload[field] === text) &&
    Object.entries(limits).every(([field, limit]) => {
      const amount = millionthsOf(payload[field]);
      const most = millionthsOf(limit);
      return amount !== undefined && most !== undefined && amount <= most;
    })
  );
}

function millionthsOf(decimal: unknown): bigint | undefined {
  if (typeof decimal !== "string" || !/^\d+(\.\d+)?$/.test(decimal)) return undefined;
  const [whole = "", part = ""] = decimal.split(".");
  return BigInt(whole + part.padEnd(placesMax, "0"));
}
