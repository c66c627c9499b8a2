// What a request costs, in request units.
//
// Reads and writes follow the documented table by size (KiB: read / write), read between its rows by
// straight lines. The rest is our own model and is marked so in the README: it is deterministic, so
// that a test can compare two designs, and of the right order of magnitude.

const BY_KIB: [kib: number, read: number, write: number][] = [
  [1, 1, 4.95],
  [2, 1.04, 6.29],
  [4, 1.14, 6.67],
  [8, 1.33, 7.04],
  [16, 1.67, 9.52],
  [32, 2.19, 11.23],
  [64, 4.76, 22.67],
  [128, 9.95, 48.19],
  [256, 20.28, 98.29],
  [512, 40.95, 184.57],
  [1024, 145.9, 625],
  [2048, 291.8, 1250],
];

const QUERY_MINIMUM = 2.3;
const QUERY_PER_ITEM_LOADED = 0.05;
const QUERY_PER_KIB_RETURNED = 0.03;

function bySize(bytes: number, pick: 1 | 2): number {
  const kib = bytes / 1024;
  const [first] = BY_KIB;
  if (first === undefined || kib <= first[0]) return first?.[pick] ?? 1;
  for (let at = 1; at < BY_KIB.length; at += 1) {
    const low = BY_KIB[at - 1];
    const high = BY_KIB[at];
    if (low === undefined || high === undefined || kib > high[0]) continue;
    return low[pick] + ((high[pick] - low[pick]) * (kib - low[0])) / (high[0] - low[0]);
  }
  return BY_KIB[BY_KIB.length - 1]?.[pick] ?? 1;
}

function rounded(charge: number): number {
  return Math.round(charge * 100) / 100;
}

export function readCharge(bytes: number): number {
  return rounded(bySize(bytes, 1));
}

export function writeCharge(bytes: number): number {
  return rounded(bySize(bytes, 2));
}

export function queryCharge(itemsLoaded: number, bytesReturned: number, ranges: number): number {
  return rounded(
    QUERY_MINIMUM * Math.max(1, ranges) +
      QUERY_PER_ITEM_LOADED * itemsLoaded +
      (QUERY_PER_KIB_RETURNED * bytesReturned) / 1024,
  );
}

/** What a refusal costs: small, but not free. */
export function refusalCharge(status: number): number {
  return status === 409 || status === 412 ? 1.24 : 1;
}

export function sumCharges(charges: readonly number[]): number {
  return rounded(charges.reduce((sum, charge) => sum + charge, 0));
}
