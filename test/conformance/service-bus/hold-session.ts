// A process that takes a session with one message, says so, and never lets go.
import { ServiceBusClient } from "@azure/service-bus";

const [connectionString = "", queue = "", sessionId = ""] = process.argv.slice(2);
const client = new ServiceBusClient(connectionString);
const session = await client.acceptSession(queue, sessionId);
await session.receiveMessages(1);
process.send?.("held");
