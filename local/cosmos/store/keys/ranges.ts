// Physical partitions: how the ring of effective keys is cut, and how one of them splits.
//
// One range is the default and is what a small container has on Azure. With more, each range is
// served as a partition of its own (queries, feed, session tokens name it by id). A split replaces a
// range by two children that name their parent; requests for the parent then answer 410/1002 and the
// client reads the ranges again.
import type { PartitionKeyDefinition } from "./partition-key.ts";

export interface PartitionRange {
  id: string;
  minInclusive: string;
  maxExclusive: string;
  parents: string[];
}

/** Hashes of version 2 and of hierarchical keys begin with 00 to 3F. */
const RING_END = 0x4000_0000;

export function initialRanges(count: number, definition: PartitionKeyDefinition): PartitionRange[] {
  const isVersion1 = definition.kind === "Hash" && definition.version !== 2;
  const cuts = Array.from({ length: count - 1 }, (_, at) => {
    const share = (at + 1) / count;
    return isVersion1 ? version1Cut(share) : hex8(Math.floor(RING_END * share));
  });
  const bounds = ["", ...cuts, "FF"];
  return Array.from({ length: count }, (_, at) => ({
    id: String(at),
    minInclusive: bounds[at] ?? "",
    maxExclusive: bounds[at + 1] ?? "FF",
    parents: [],
  }));
}

function hex8(value: number): string {
  return value.toString(16).toUpperCase().padStart(8, "0");
}

function version1Cut(share: number): string {
  // A version 1 key begins with 05 and the 32-bit hash as a double whose bytes sort.
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, share * 0x1_0000_0000);
  const top = ((view.getUint32(0) ^ 0x8000_0000) >>> 0).toString(16).toUpperCase();
  return `05${top.slice(0, 4)}`;
}

export function rangeOf(ranges: readonly PartitionRange[], epk: string): PartitionRange {
  const found = ranges.find((range) => range.minInclusive <= epk && epk < range.maxExclusive);
  if (found === undefined) throw new Error(`no partition range holds ${epk}`);
  return found;
}

export function splitRange(ranges: readonly PartitionRange[], id: string): PartitionRange[] {
  const parent = ranges.find((range) => range.id === id);
  if (parent === undefined) throw new Error(`no partition range ${id}`);
  const from = parseInt((parent.minInclusive || "0").padEnd(8, "0").slice(0, 8), 16);
  const last = parent.maxExclusive === "FF" ? RING_END : undefined;
  const to = last ?? parseInt(parent.maxExclusive.padEnd(8, "0").slice(0, 8), 16);
  const middle = hex8(Math.floor((from + to) / 2));
  const next = Math.max(...ranges.map((range) => Number(range.id))) + 1;
  const parents = [...parent.parents, parent.id];
  const children: PartitionRange[] = [
    { ...parent, id: String(next), maxExclusive: middle, parents },
    { ...parent, id: String(next + 1), minInclusive: middle, parents },
  ];
  return ranges.flatMap((range) => (range === parent ? children : [range]));
}
