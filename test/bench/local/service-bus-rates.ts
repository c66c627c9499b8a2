// Messages a second of the Service Bus stand-in with the real client: sent, and received from a session each and completed.
import { ServiceBusClient, type ServiceBusSessionReceiver } from "@azure/service-bus";
import { rateOf, type Rate } from "./rate.ts";

export interface ServiceBusRates {
  /** One message a call, each in a session of its own. */
  send: Rate;
  /** One session a message: accepted, received, completed, closed. */
  sessionReceive: Rate;
  /** A session of many messages, received one at a time and completed. */
  receiveInOneSession: Rate;
}

const queue = "cases";

export async function serviceBusRates(
  { connectionString }: { connectionString: string },
  { count, concurrency }: { count: number; concurrency: number },
): Promise<ServiceBusRates> {
  const client = new ServiceBusClient(connectionString);
  const sender = client.createSender(queue);
  const bodyOf = (n: number) => ({ caseKey: `acme:${n}`, hintId: `hint-${n}`, reason: "bench" });
  try {
    const send = await rateOf(count, concurrency, (n) =>
      sender.sendMessages({ body: bodyOf(n), messageId: `m-${n}`, sessionId: `s-${n}` }),
    );
    const sessionReceive = await rateOf(count, concurrency, async () => {
      const receiver = await client.acceptNextSession(queue);
      await completeOne(receiver);
      await receiver.close();
    });
    for (let n = 0; n < count; n += 1) {
      await sender.sendMessages({ body: bodyOf(n), messageId: `o-${n}`, sessionId: "one" });
    }
    const receiver = await client.acceptSession(queue, "one");
    const receiveInOneSession = await rateOf(count, 1, () => completeOne(receiver));
    return { send, sessionReceive, receiveInOneSession };
  } finally {
    await client.close();
  }
}

async function completeOne(receiver: ServiceBusSessionReceiver): Promise<void> {
  const [message] = await receiver.receiveMessages(1, { maxWaitTimeInMs: 10_000 });
  if (message === undefined) throw new Error(`session ${receiver.sessionId} has no message`);
  await receiver.completeMessage(message);
}
