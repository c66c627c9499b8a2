// What one case with three effects asks of the platform: the app as measured, and what one could do instead, counted from how
// each works. None of the others' numbers were measured here; each line says where its count comes from.
import { readCharge, writeCharge } from "../../../local/cosmos/protocol/charges.ts";
import type { Meters } from "../app/meters.ts";

/** Under Bounded Staleness a read asks two replicas and costs twice. */
export const readFactor = 2;

export interface Demand {
  writes: number;
  reads: number;
  /** Request units of writes, reads (doubled where they must be) and the feed. */
  requestUnits: number;
  brokerOperations: number;
  executions: number;
  storageTransactions: number;
  /** How it was counted, and what it does not do. */
  from: string;
}

const effects = 3;
const document = 1200;
const write = writeCharge(document);
const read = readCharge(document) * readFactor;

export function measuredDemand(meters: Meters): Demand {
  return {
    writes: meters.writes,
    reads: meters.reads,
    requestUnits: round(meters.writeCharge + readFactor * (meters.readCharge + meters.feedCharge)),
    brokerOperations: meters.brokerOperations,
    executions: meters.executions,
    storageTransactions: 0,
    from: "measured on the local Azure; charges by its model",
  };
}

export const alternatives: Readonly<Record<string, Demand>> = {
  "the articles' own pattern": {
    writes: effects * 3 + 1,
    reads: effects * 3 + 1,
    requestUnits: round(effects * (3 * write + 3 * read) + write + read),
    brokerOperations: 3,
    executions: 2,
    storageTransactions: 0,
    from:
      "six requests an effect: read the case, create the started row, read it on a conflict or after it, patch it done, read " +
      "the case again, replace it under its ETag. Two containers, so an effect and its status can come apart; no inbox, no gate, no history",
  },
  "a plain outbox, a message a step": {
    writes: effects * 3 + 2,
    reads: effects * 2 + 1,
    requestUnits: round(effects * (2 * write * 2 + write + 2 * read) + 2 * write + read),
    brokerOperations: (effects + 1) * 3,
    executions: effects + 2,
    storageTransactions: 0,
    from:
      "a step: state and outbox row in one batch, the relay marks it sent, the consumer notes the message's id; one message and " +
      "one execution each. At least once: a call that was made and not noted is made again",
  },
  "Durable Functions": {
    writes: 0,
    reads: 0,
    requestUnits: 0,
    brokerOperations: 0,
    executions: effects * 2 + 3,
    storageTransactions: (effects + 2) * 10,
    from:
      "on Azure Storage: a replay and an activity a step, ten transactions each of queue (put, get, delete, twice) and table " +
      "(history, instance). An activity may run again, and what the provider did is nowhere in the record; the Durable Task Scheduler counts otherwise",
  },
};

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
