// What Azure lists, in US dollars, East US, pay as you go, without taxes, free grants and discounts.
//
// The list's own pages fill in their numbers by script, so no stored copy of them shows any; where another page that quotes
// them could be read, it is named with its date. Before a budget rests on one of these, look it up.
export interface Price {
  usd: number;
  per: string;
  list: string;
  quotedBy: string;
}

const functionsList = "azure.microsoft.com/pricing/details/functions";
const serviceBusList = "azure.microsoft.com/pricing/details/service-bus";
const cosmosList = "azure.microsoft.com/pricing/details/cosmos-db/autoscale-provisioned";
const monitorList = "azure.microsoft.com/pricing/details/monitor";
const notRead = "from memory, no page with the number could be read";
const flexQuote = "modal.com/blog/azure-function-pricing-guide, 22 May 2025";

export const pricesAsOf = "2026-11-29";

const per = (usd: number, unit: string, list: string, quotedBy: string): Price => ({
  usd,
  per: unit,
  list,
  quotedBy,
});

export const prices = {
  flexGbSecond: per(0.000026, "GB-second, on demand", functionsList, flexQuote),
  flexExecution: per(0.4 / 1e6, "execution", functionsList, notRead),
  serviceBusBase: per(9.81, "month, Standard", serviceBusList, notRead),
  serviceBusTo100M: per(0.8 / 1e6, "operation from 13 M to 100 M a month", serviceBusList, notRead),
  serviceBusTo2500M: per(0.5 / 1e6, "operation to 2,500 M a month", serviceBusList, notRead),
  serviceBusBeyond: per(0.2 / 1e6, "operation beyond", serviceBusList, notRead),
  serviceBusPremiumUnit: per(677.08, "month and messaging unit", serviceBusList, notRead),
  cosmosServerlessUnit: per(0.25 / 1e6, "request unit, serverless", cosmosList, notRead),
  cosmosAutoscaleHour: per(0.012, "100 RU/s and hour, autoscale", cosmosList, notRead),
  cosmosGbMonth: per(0.25, "GB and month", cosmosList, notRead),
  logGb: per(
    2.3,
    "GB of analytics logs",
    monitorList,
    "monitoringcost.com/azure-monitor-cost, 2026",
  ),
  storageTransaction: per(
    0.004 / 1e4,
    "storage transaction",
    "azure.microsoft.com/pricing/details/storage",
    notRead,
  ),
} as const satisfies Record<string, Price>;

export const secondsPerMonth = 730 * 3600;

/** Service Bus Standard, by its steps. */
export function standardOperationsUsd(count: number): number {
  const steps = [
    { upTo: 13e6, usd: 0 },
    { upTo: 100e6, usd: prices.serviceBusTo100M.usd },
    { upTo: 2500e6, usd: prices.serviceBusTo2500M.usd },
    { upTo: Infinity, usd: prices.serviceBusBeyond.usd },
  ];
  let from = 0;
  let usd = 0;
  for (const step of steps) {
    usd += Math.max(0, Math.min(count, step.upTo) - from) * step.usd;
    from = step.upTo;
  }
  return usd + prices.serviceBusBase.usd;
}
