// The shipped adapters over real sockets, in a world on a virtual clock: a server answers as it likes, and keeps what it has done.
import type { ServerResponse } from "node:http";
import type { Provider } from "../../../shared/domain/definitions.ts";
import { crm } from "../../../shared/providers/crm.ts";
import { email } from "../../../shared/providers/email.ts";
import { supplierPortal } from "../../../shared/providers/supplier-portal.ts";
import { taskBoard } from "../../../shared/providers/task-board.ts";
import { planOf } from "../../domain/situations.ts";
import { oddServer, type Received } from "../../providers/odd-server.ts";
import { newWorld, type TestProvider } from "../world.ts";

const callTimeoutMs = 400;
const token = "t";

export type Respond = (response: ServerResponse, received: Received) => void;

/** How the server treats one request: does it do what is asked for, and what does it say? */
export interface Turn {
  does: boolean;
  says: Respond;
}

const json = (response: ServerResponse, status: number, body: unknown): void =>
  void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));

const shipped = {
  portal: {
    action: "keyed.first.v1",
    real: "portal.request_credit_note.v1",
    target: "INV-1",
    payload: { invoice: "INV-1", amount: "50.00", currency: "EUR", reason: "price_variance" },
    provider: (baseUrl: string): Provider => supplierPortal({ baseUrl, token, callTimeoutMs }),
    done: (response: ServerResponse, { body }: Received) => {
      const { reason: _reason, ...echo } = JSON.parse(body) as Record<string, string>;
      json(response, 201, { id: "CN-1", status: "accepted", ...echo });
    },
  },
  crm: {
    action: "bare.first.v1",
    real: "crm.close_case.v1",
    target: "CASE-1",
    payload: { case: "CASE-1", outcome: "completed" },
    provider: (baseUrl: string): Provider => crm({ baseUrl, token, callTimeoutMs }),
    done: (response: ServerResponse, { body }: Received) =>
      json(response, 200, {
        id: "CC-1",
        case: "CASE-1",
        version: 2,
        ...(JSON.parse(body) as object),
      }),
  },
  board: {
    action: "bare.first.v1",
    real: "tasks.create_welcome_task.v1",
    target: "Contoso",
    payload: { customer: "Contoso", title: "Welcome" },
    provider: (baseUrl: string): Provider => taskBoard({ baseUrl, token, callTimeoutMs }),
    done: (response: ServerResponse, { body }: Received) =>
      json(response, 201, { id: "TK-1", ...(JSON.parse(body) as object) }),
  },
  email: {
    action: "bare.first.v1",
    real: "email.send_notification.v1",
    target: "ana@example.org",
    payload: { to: "ana@example.org", subject: "Hello", text: "Text" },
    provider: (baseUrl: string): Provider =>
      email({ baseUrl, token, callTimeoutMs, from: "ap@example.org" }),
    done: (response: ServerResponse) => json(response, 202, { id: "msg_1", status: "accepted" }),
  },
} as const;

/** `turns`: of each call, in order; then it does what it is asked for, and says so. `looks`: of each look-up. */
export async function answerWorld(
  name: keyof typeof shipped,
  turns: readonly Turn[],
  looks: readonly Respond[] = [],
) {
  const { action, done, payload, provider: make, real, target } = shipped[name];
  const [calls, left, leftLooks] = [[] as Received[], [...turns], [...looks]];
  /** By key, or else by call. */
  const applied = new Map<string, Received>();
  let lookCount = 0;
  const server = await oddServer((response, received) => {
    if (received.body === "") {
      lookCount += 1;
      const one = leftLooks.shift() ?? found;
      return one(response, received);
    }
    calls.push(received);
    const { does, says } = left.shift() ?? { does: true, says: done };
    const key = received.headers["idempotency-key"]?.toString() ?? `call ${calls.length}`;
    if (does && !applied.has(key)) applied.set(key, received);
    return says(response, received);
  });
  const found: Respond = (response) => {
    const [first] = applied.values();
    if (first === undefined) json(response, 404, { code: "no_such_operation" });
    else done(response, first);
  };
  const plan = planOf([{ action, target, payload }]);
  const world = newWorld({
    decide: ({ version }) => (version === 1 ? plan : { kind: "hold", why: "a person decides" }),
  });
  adopt(name === "portal" ? world.keyed : world.bare, make(server.url), real);
  await world.post(1);
  return {
    ...world,
    calls,
    applied: () => applied.size,
    lookCount: () => lookCount,
    async ends() {
      const [effect] = await world.effects();
      const reviews = (await world.reviews()).map(({ kind }) => kind);
      return { status: effect?.status, reviews, calls: calls.length, applied: applied.size };
    },
  };
}

/** The test world's own provider, speaking through a shipped adapter. */
function adopt(into: TestProvider, from: Provider, action: string): void {
  into.contract = from.contract;
  into.send = (request) => from.send({ ...request, action });
  const { lookup } = from;
  if (lookup !== undefined) into.lookup = (request) => lookup({ ...request, action });
}
