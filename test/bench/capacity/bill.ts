// A demand a case, times a rate, priced.
import type { Demand } from "./patterns.ts";
import { prices, secondsPerMonth, standardOperationsUsd } from "./prices.ts";

export interface Load {
  casesPerSecond: number;
  /** How long one case keeps an execution busy, waiting for providers included. */
  turnSeconds: number;
  /** Turns that share one instance; what is billed is the instance's time, not the turn's. */
  turnsPerInstance: number;
  memoryGb: number;
  storedBytesPerCase: number;
  logBytesPerCase: number;
}

export interface Bill {
  cosmosServerlessUsd: number;
  cosmosAutoscaleUsd: number;
  /** The first month's documents, kept for one month. */
  cosmosStorageUsd: number;
  serviceBusStandardUsd: number;
  serviceBusPremiumUsd: number;
  functionsUsd: number;
  logsUsd: number;
  storageUsd: number;
  /** Of the cheaper choices that can carry the rate. */
  totalUsd: number;
  perMillionCasesUsd: number;
}

/** A container on serverless may use so much at first. */
export const serverlessUnitsPerSecondMax = 5000;
/** Standard has no promise; Microsoft's guidance is to move where throughput must be predictable. We say so here. */
export const standardOperationsPerSecondMax = 1000;
/** Rough: what one Premium messaging unit carries of small messages, as operations. */
export const premiumUnitOperationsPerSecond = 4000;

export function billOf(demand: Demand, load: Load): Bill {
  const { casesPerSecond, logBytesPerCase, memoryGb, storedBytesPerCase, turnSeconds } = load;
  const cases = casesPerSecond * secondsPerMonth;
  const unitsPerSecond = demand.requestUnits * casesPerSecond;
  const operationsPerSecond = demand.brokerOperations * casesPerSecond;
  const cosmosServerlessUsd = demand.requestUnits * cases * prices.cosmosServerlessUnit.usd;
  const cosmosAutoscaleUsd =
    unitsPerSecond === 0
      ? 0
      : Math.max(1000, unitsPerSecond) * (730 / 100) * prices.cosmosAutoscaleHour.usd;
  const serviceBusStandardUsd =
    demand.brokerOperations === 0 ? 0 : standardOperationsUsd(demand.brokerOperations * cases);
  const units = Math.ceil(operationsPerSecond / premiumUnitOperationsPerSecond);
  const serviceBusPremiumUsd = units * prices.serviceBusPremiumUnit.usd;
  const busyGbSeconds = (cases * turnSeconds * memoryGb) / load.turnsPerInstance;
  const functionsUsd =
    busyGbSeconds * prices.flexGbSecond.usd + demand.executions * cases * prices.flexExecution.usd;
  const cosmosStorageUsd =
    demand.requestUnits === 0 ? 0 : ((cases * storedBytesPerCase) / 1e9) * prices.cosmosGbMonth.usd;
  const logsUsd = ((cases * logBytesPerCase) / 1e9) * prices.logGb.usd;
  const storageUsd = demand.storageTransactions * cases * prices.storageTransaction.usd;
  const cosmosUsd =
    unitsPerSecond > serverlessUnitsPerSecondMax
      ? cosmosAutoscaleUsd
      : Math.min(cosmosServerlessUsd, cosmosAutoscaleUsd);
  const busUsd =
    operationsPerSecond > standardOperationsPerSecondMax
      ? serviceBusPremiumUsd
      : serviceBusStandardUsd;
  const totalUsd = cosmosUsd + cosmosStorageUsd + busUsd + functionsUsd + logsUsd + storageUsd;
  return rounded({
    cosmosServerlessUsd,
    cosmosAutoscaleUsd,
    cosmosStorageUsd,
    serviceBusStandardUsd,
    serviceBusPremiumUsd,
    functionsUsd,
    logsUsd,
    storageUsd,
    totalUsd,
    perMillionCasesUsd: (totalUsd / cases) * 1e6,
  });
}

function rounded(bill: Bill): Bill {
  return Object.fromEntries(
    Object.entries(bill).map(([name, usd]) => [name, Math.round(Number(usd) * 100) / 100]),
  ) as unknown as Bill;
}
