// What gives first at a rate, and what to change then. Limits as Microsoft documents them (see infra/COST.md), in the order in
// which this design comes to them.
import type { Demand } from "./patterns.ts";
import {
  premiumUnitOperationsPerSecond,
  serverlessUnitsPerSecondMax,
  standardOperationsPerSecondMax,
} from "./bill.ts";

export interface Limit {
  name: string;
  /** Of the limit, at this rate; above one it gives. */
  used: number;
  casesPerSecondMax: number;
  change: string;
}

export interface Limited {
  casesPerSecond: number;
  demand: Demand;
  storedBytesPerCase: number;
  instances: number;
}

const partitionUnitsMax = 10_000;
const partitionBytesMax = 20e9;
const instancesMax = 1000;
const premiumUnitsMax = 16;
/** One reader a physical partition: a page of 100 documents with a read of each case, one after the other. */
const feedCasesPerSecondPerPartition = 100;
const physicalPartitionUnits = 10_000;

export function limitsAt(at: Limited): Limit[] {
  const { demand, instances, casesPerSecond } = at;
  const units = demand.requestUnits;
  const operations = demand.brokerOperations;
  const caseLimit = (name: string, casesPerSecondMax: number, change: string): Limit => ({
    name,
    used: Math.round((casesPerSecond / casesPerSecondMax) * 1000) / 1000,
    casesPerSecondMax: Math.floor(casesPerSecondMax),
    change,
  });
  return [
    caseLimit(
      "Cosmos serverless, 5,000 RU/s a container",
      serverlessUnitsPerSecondMax / units,
      "cosmosCapacity = 'autoscale': the documents and keys stay as they are, in a new account",
    ),
    caseLimit(
      "Service Bus Standard, about 1,000 operations/s without a promise",
      standardOperationsPerSecondMax / operations,
      "Premium: one messaging unit, then more",
    ),
    caseLimit(
      "a Premium namespace, 16 messaging units",
      (premiumUnitsMax * premiumUnitOperationsPerSecond) / operations,
      "several namespaces, a tenant in one of them: nothing orders cases across tenants",
    ),
    caseLimit(
      "the feed's readers, about 100 cases/s a physical partition",
      feedCasesPerSecondPerPartition *
        Math.max(1, Math.ceil((casesPerSecond * units) / physicalPartitionUnits)),
      "more physical partitions (they come with the RU/s), or leave the feed behind: it is one of four rescues and decides nothing",
    ),
    {
      name: "Flex Consumption, 1,000 instances an app",
      used: Math.round((instances / instancesMax) * 1000) / 1000,
      casesPerSecondMax: Math.floor((casesPerSecond * instancesMax) / instances),
      change: "several apps (stamps), each with its namespace and account, a tenant in one of them",
    },
  ];
}
/** Of one logical partition, which is one case: these do not grow with the rate of cases. */
export function shareOfPartition({ demand, storedBytesPerCase }: Limited) {
  return {
    /** If a whole case ran within one second. */
    requestUnits: demand.requestUnits / partitionUnitsMax,
    bytes: storedBytesPerCase / partitionBytesMax,
  };
}

export function firstToGive(limits: readonly Limit[]): Limit | undefined {
  return limits.toSorted((a, b) => b.used - a.used).find(({ used }) => used >= 1);
}
