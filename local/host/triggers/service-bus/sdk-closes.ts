// How the links of a Service Bus client end, reached by the names of @azure/service-bus 7.9 and rhea-promise 3.
//
// The SDK closes a receiver's link in three places where nobody hears the answer: after a drain that the broker did not answer
// in time, when a receive is given up amid its drain, and when an accept is. rhea-promise rejects such a close when the
// broker's own close, with its reason (a session's lock ran out, the broker is busy), meets it half way, and when no answer
// comes for a minute. Node ends a process for a rejection that nobody hears, so one late answer ended the whole host.
//
// Here a close never fails: a link that its peer ended with a reason, or that does not answer, is a closed link all the same.
// Nothing is hidden by it: what was not settled over that link comes again, as its lock says.
import type { ServiceBusClient } from "@azure/service-bus";
import { field, setField } from "./sdk-socket.ts";

type Call = () => Promise<unknown>;

function wrap(owner: unknown, name: string, around: (call: Call) => Promise<unknown>): void {
  const original = field(owner, name);
  if (typeof original !== "function") return;
  setField(owner, name, (...given: unknown[]) =>
    around(async (): Promise<unknown> => Reflect.apply(original, owner, given)),
  );
}

async function closeOf(session: unknown): Promise<void> {
  const close = field(session, "close");
  if (typeof close === "function") await Reflect.apply(close, session, []);
}

function closeInPeace(connection: unknown): void {
  wrap(connection, "createSession", async (create) => {
    const session = await create();
    wrap(session, "close", (close) => close().catch(() => {}));
    return session;
  });
  wrap(connection, "createReceiver", async (create) => {
    const receiver = await create();
    // A close that fails leaves the AMQP session below the link open, and a connection has only so many.
    wrap(receiver, "close", (close) => close().catch(() => closeOf(field(receiver, "session"))));
    return receiver;
  });
}

/** From now on, also over the connections that the SDK makes anew by itself. */
export function endLinksInPeace(client: ServiceBusClient): void {
  const context = field(client, "_connectionContext");
  closeInPeace(field(context, "connection"));
  const refresh = field(context, "refreshConnection");
  if (typeof refresh !== "function") return;
  setField(context, "refreshConnection", () => {
    Reflect.apply(refresh, context, []);
    closeInPeace(field(context, "connection"));
  });
}
