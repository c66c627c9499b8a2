// The stand-ins' own rates at a tiny size, without the rival: that everything measured was really done.
import { expect, test } from "vitest";
import { cosmosRates } from "./local/cosmos-rates.ts";
import { serviceBusRates } from "./local/service-bus-rates.ts";
import { startStandIn } from "./local/stand-ins.ts";

const sizes = { count: 12, concurrency: 4 };
const rate = { perSecond: expect.any(Number), p99Ms: expect.any(Number) };

test("every message that was sent is received in its session and completed", async () => {
  const server = await startStandIn("service-bus");
  try {
    const rates = await serviceBusRates(server, sizes);
    expect(rates).toEqual({ send: rate, sessionReceive: rate, receiveInOneSession: rate });
  } finally {
    await server.stop();
  }
}, 60_000);

test("every document that was created is read and found again, and a batch is one", async () => {
  const server = await startStandIn("cosmos");
  try {
    const rates = await cosmosRates(server, sizes);
    expect(rates).toEqual({
      create: rate,
      read: rate,
      query: rate,
      batch: rate,
      batchIsAtomic: true,
    });
  } finally {
    await server.stop();
  }
}, 60_000);
