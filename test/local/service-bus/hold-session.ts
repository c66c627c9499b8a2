// A process that takes session "a" of queue "cases" with its message, says so, and never lets go.

import { ServiceBusClient } from "@azure/service-bus";

const client = new ServiceBusClient(process.argv[2] ?? "");
const session = await client.acceptSession("cases", "a");
await session.receiveMessages(1);
process.send?.("held");
